import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../processes/run-command.ts";

const folder = join(import.meta.dirname, "../../../.cache/debian-13");
const extracted = join(folder, "extracted");

/**
 * Debian 13's C and C++ libraries, beside those of an older Debian: `apt-get` downloads them from the system's own mirror, checks their
 * signature, and changes nothing of the system.
 *
 * @returns the words before a command that let it run with them
 */
export async function newerLibraries(): Promise<readonly [string, ...string[]]> {
  if (!existsSync(extracted)) await download();
  for (const name of await readdir(join(extracted, "usr/lib"))) {
    const libraries = join(extracted, "usr/lib", name);
    const loader = (await readdir(libraries)).find((file) => file.startsWith("ld-linux"));
    if (loader !== undefined) return [join(libraries, loader), "--library-path", libraries];
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
