import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

export const packageNames = ["client", "webhook-kit"] as const;
export type PackageName = (typeof packageNames)[number];

/** Packs a package, which has been built, as a publication would. @returns the tarball's path */
export async function pack(name: PackageName | "sandbox", destination: string): Promise<string> {
  const { stdout } = await promisify(execFile)("pnpm", ["pack", "--json", "--pack-destination", destination], {
    cwd: join(import.meta.dirname, "../..", name === "sandbox" ? "examples/platform" : `packages/${name}`),
  });
  return (JSON.parse(stdout) as { filename: string }).filename;
}
