import { access, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

const cache = join(import.meta.dirname, "..", "..", "..", ".cache");

export interface CachePlace {
  /** Of the installed package. */
  packageFolder: string;
  /** What the draft is called in the end. */
  folder: string;
}

/**
 * A folder that is made from an npm package, once per version: whole or not at all, even when two processes make it at once.
 *
 * @param variant what else it is made of, such as a hash of the sources
 */
export async function cachedFolder(
  packageName: string,
  make: (draft: string, place: CachePlace) => Promise<void>,
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
  // Another process has made the same meanwhile.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
  return folder;
}
