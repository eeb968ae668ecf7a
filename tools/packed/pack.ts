import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { readPublishedPackages } from "./published-packages.ts";

const published = readPublishedPackages();

/** The packages that a program imports, by their names without the scope. */
export const packageNames: readonly string[] = published.flatMap(({ isImported, shortName }) =>
  isImported ? [shortName] : [],
);

/** All that is published: a command has no exports. */
export const publishedNames: readonly string[] = published.map(({ shortName }) => shortName);

/** The folder of a package. */
export function folderOf(name: string): string {
  const folder = published.find(({ shortName }) => shortName === name)?.folder;
  if (folder === undefined) throw new Error(`no published package is named ${name}`);
  return join(import.meta.dirname, "../..", folder);
}

/** Packs a package, which has been built, as a publication would. @returns the tarball's path */
export async function pack(name: string, destination: string): Promise<string> {
  const { stdout } = await promisify(execFile)("pnpm", ["pack", "--json", "--pack-destination", destination], {
    cwd: folderOf(name),
  });
  return (JSON.parse(stdout) as { filename: string }).filename;
}
