import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../processes/run-command.ts";

const folder = join(import.meta.dirname, "../../../.cache/debian-13");
const extracted = join(folder, "extracted");

/**
 * Node with Debian 13's C and C++ libraries, beside those of an older Debian: `apt-get` downloads them from the system's own mirror,
 * checks their signature, and changes nothing of the system.
 *
 * @returns the path of a program that is used as `node` is
 */
export async function nodeWithNewerLibraries(): Promise<string> {
  if (!existsSync(extracted)) await download();
  const { libraries, loader } = await findLoader();
  const [program, argv0] = [join(folder, "node"), join(folder, "argv0.cjs")];
  // Else it would be the loader, and Jazzer.js starts other processes by it.
  await writeFile(argv0, `process.argv[0] = ${JSON.stringify(program)};\n`);
  const command = [loader, "--library-path", libraries, process.execPath, "--require", argv0];
  await writeFile(program, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(" ")} "$@"\n`, { mode: 0o755 });
  return program;
}

async function findLoader(): Promise<{ libraries: string; loader: string }> {
  for (const name of await readdir(join(extracted, "usr/lib"))) {
    const libraries = join(extracted, "usr/lib", name);
    const loader = (await readdir(libraries)).find((file) => file.startsWith("ld-linux"));
    if (loader !== undefined) return { libraries, loader: join(libraries, loader) };
  }
  throw new Error("Debian's package libc6 holds no loader.");
}

async function download(): Promise<void> {
  const run = (command: string, ...args: string[]) => runCommand(command, args, { cwd: folder });
  await rm(folder, { recursive: true, force: true });
  for (const each of ["state/lists/partial", "cache/archives/partial"])
    await mkdir(join(folder, each), { recursive: true });
  const mirrors = await run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages");
  const mirror = mirrors.split("\n").find((uri) => uri.endsWith("/debian/"));
  if (mirror === undefined) throw new Error("apt-get knows no mirror of Debian.");
  await writeFile(join(folder, "sources.list"), `deb ${mirror} trixie main\n`);
  const places = {
    State: join(folder, "state"),
    Cache: join(folder, "cache"),
    "Etc::SourceList": join(folder, "sources.list"),
    "Etc::SourceParts": "/dev/null",
  };
  const options = Object.entries(places).flatMap(([name, path]) => ["-o", `Dir::${name}=${path}`]);
  await run("apt-get", ...options, "update");
  await run("apt-get", ...options, "download", "libc6", "libgcc-s1", "libstdc++6");
  const archives = (await readdir(folder)).filter((file) => file.endsWith(".deb"));
  for (const archive of archives) await run("dpkg-deb", "--extract", archive, "incomplete");
  await rename(join(folder, "incomplete"), extracted);
}
