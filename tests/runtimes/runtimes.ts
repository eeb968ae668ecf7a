import { execFile } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Runtime {
  name: string;
  /** The npm package that contains the binary, directly or in an optional dependency. */
  package: string;
  binary: "node" | "bun" | "deno" | "workerd";
  /** The arguments before the script. */
  flags: readonly string[];
  /** Whether it supports `/testing` and `/node`, which need Node 22. */
  hasNode22: boolean;
}

// The npm package `node` needs an install script to download one of these packages.
const nodePackage = process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
const createNodeRuntime = (version: string, hasNode22 = true): Runtime => ({
  name: `Node ${version}`,
  package: `${nodePackage}-${process.platform === "win32" ? "win" : process.platform}-${process.arch}@${version}`,
  binary: "node",
  flags: [],
  hasNode22,
});

/** The oldest supported version of each older Node release, and the newest version of every other runtime. */
export const runtimes: readonly Runtime[] = [
  createNodeRuntime("20.19.0", false),
  createNodeRuntime("22.19.0"),
  createNodeRuntime("24.21.0"),
  createNodeRuntime("26.10.0"),
  { name: "Bun 1.4.5", package: "bun@1.4.5", binary: "bun", flags: ["run"], hasNode22: false },
  {
    name: "Deno 2.9.6",
    package: "deno@2.9.6",
    binary: "deno",
    // Allows only loopback connections and imported files.
    flags: ["run", "--quiet", "--no-prompt", "--allow-net=127.0.0.1"],
    hasNode22: false,
  },
  { name: "workerd 2026-11-17", package: "workerd@1.20261117.1", binary: "workerd", flags: [], hasNode22: false },
];

/**
 * Installs a runtime from npm into a new subfolder of `folder`, without running install scripts.
 *
 * @returns the path of its binary
 */
export async function installRuntime({ name, package: packageSpec, binary }: Runtime, folder: string): Promise<string> {
  const runtimeFolder = join(folder, name.replaceAll(" ", "-"));
  await mkdir(runtimeFolder);
  await writeFile(join(runtimeFolder, "package.json"), JSON.stringify({ private: true }));
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", packageSpec], { cwd: runtimeFolder });
  const files = await readdir(join(runtimeFolder, "node_modules"), { recursive: true });
  const isBinary = new RegExp(String.raw`^[^.].*[\\/]${binary}(\.exe)?$`);
  // The binary is in a package with a scope, such as `@oven/bun-linux-x64`. A package without a scope may have a script of the same name
  // that looks for that binary. Sorting puts the binary first, because `@` precedes letters.
  for (const file of files.filter((file) => isBinary.test(file)).sort()) {
    const path = join(runtimeFolder, "node_modules", file);
    // A package may contain a binary for a different C library, which does not run here.
    const version = await run(path, ["--version"]).catch(() => undefined);
    if (version?.stdout.match(/\d/)) return path;
  }
  throw new Error(`no package that ${packageSpec} installs has a ${binary} that runs here`);
}
