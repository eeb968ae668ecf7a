import { access, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

const cache = join(import.meta.dirname, "..", ".cache");

export interface CachePlace {
  /** Of the installed package. */
  packageFolder: string;
  /** What the draft is called in the end. */
  folder: string;
}

/** A folder that is made from an npm package, once per version: whole or not at all, whoever else makes it at the same time. */
export async function cachedFolder(
  packageName: string,
  make: (draft: string, place: CachePlace) => Promise<void>,
): Promise<string> {
  const packageFolder = join(dirname(createRequire(import.meta.url).resolve(packageName)), "..");
  const { version } = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8")) as { version: string };
  const folder = join(cache, `${basename(packageName)}-${version}`);
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  await make(draft, { packageFolder, folder });
  // Whoever comes second has made the same.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
  return folder;
}
