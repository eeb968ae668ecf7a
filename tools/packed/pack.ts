import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** The packages that a program imports. */
export const packageNames = ["client", "webhook-kit"] as const;
export type PackageName = (typeof packageNames)[number];

/** All that is published: a command has no exports. */
export const publishedNames = [...packageNames, "cli"] as const;
export type PublishedName = (typeof publishedNames)[number];

/** Packs a package, which has been built, as a publication would. @returns the tarball's path */
export async function pack(name: PublishedName, destination: string): Promise<string> {
  const { stdout } = await promisify(execFile)("pnpm", ["pack", "--json", "--pack-destination", destination], {
    cwd: join(import.meta.dirname, "../../packages", name),
  });
  return (JSON.parse(stdout) as { filename: string }).filename;
}
