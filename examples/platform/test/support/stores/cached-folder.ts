import { access, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

const cacheFolder = join(import.meta.dirname, "..", "..", "..", ".cache");

export interface CacheEntry {
  /** The folder in which the package is installed. */
  packageFolder: string;
  /** The final path of the new folder. */
  folder: string;
}

/**
 * Returns the path of a folder that is built from an npm package. Builds the folder only once per version and variant. Concurrent processes
 * can build the same folder, because each one renames its temporary folder at the end.
 *
 * @param build writes the files to `temporaryFolder`
 * @param variant identifies the other inputs, for example with a hash of the sources
 */
export async function getCachedFolder(
  packageName: string,
  build: (temporaryFolder: string, entry: CacheEntry) => Promise<void>,
  variant = "",
): Promise<string> {
  // The entry point is in a subfolder of the package.
  const packageFolder = join(dirname(createRequire(import.meta.url).resolve(packageName)), "..");
  const { version } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8")) as { version: string };
  const folder = join(cacheFolder, `${basename(packageName)}-${version}${variant}`);
  const isCached = await access(folder).then(
    () => true,
    () => false,
  );
  if (isCached) return folder;
  await mkdir(cacheFolder, { recursive: true });
  const temporaryFolder = await mkdtemp(`${folder}-`);
  await build(temporaryFolder, { packageFolder, folder });
  // The rename fails if another process has created the folder in the meantime.
  await rename(temporaryFolder, folder).catch(() => rm(temporaryFolder, { recursive: true }));
  return folder;
}
