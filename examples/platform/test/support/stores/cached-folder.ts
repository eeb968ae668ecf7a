import { access, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

const cache = join(import.meta.dirname, "..", "..", "..", ".cache");

export interface CacheEntry {
  /** The folder of the installed package. */
  packageFolder: string;
  /** The folder's final path. */
  folder: string;
}

/**
 * Creates a folder from an npm package once per version. The rename at the end makes it atomic, even for two processes.
 *
 * @param variant identifies other inputs, such as a hash of the sources
 */
export async function cachedFolder(
  packageName: string,
  make: (draft: string, entry: CacheEntry) => Promise<void>,
  variant = "",
): Promise<string> {
  const packageFolder = join(dirname(createRequire(import.meta.url).resolve(packageName)), "..");
  const { version } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8")) as { version: string };
  const folder = join(cache, `${basename(packageName)}-${version}${variant}`);
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  await make(draft, { packageFolder, folder });
  // Another process has created it meanwhile.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
  return folder;
}
