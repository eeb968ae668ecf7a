import { access, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

const cache = join(import.meta.dirname, "..", "..", "..", ".cache");

export interface CacheEntry {
  /** Where the package is installed. */
  packageFolder: string;
  /** The folder's final path. */
  folder: string;
}

/**
 * Creates a folder from an npm package, once per version, and returns its path. The final rename makes this safe for concurrent processes.
 *
 * @param build writes the folder's files to `temporaryFolder`
 * @param variant identifies other inputs, such as a hash of the sources
 */
export async function getCachedFolder(
  packageName: string,
  build: (temporaryFolder: string, entry: CacheEntry) => Promise<void>,
  variant = "",
): Promise<string> {
  const packageFolder = join(dirname(createRequire(import.meta.url).resolve(packageName)), "..");
  const { version } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8")) as { version: string };
  const folder = join(cache, `${basename(packageName)}-${version}${variant}`);
  const isCached = await access(folder).then(
    () => true,
    () => false,
  );
  if (isCached) return folder;
  await mkdir(cache, { recursive: true });
  const temporaryFolder = await mkdtemp(`${folder}-`);
  await build(temporaryFolder, { packageFolder, folder });
  // This fails if another process has created the folder meanwhile.
  await rename(temporaryFolder, folder).catch(() => rm(temporaryFolder, { recursive: true }));
  return folder;
}
