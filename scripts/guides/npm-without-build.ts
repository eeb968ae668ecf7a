import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes an `npm` script into a folder. It runs the repository's scripts without installing and building first, so that documents can run
 * while other tests use the build.
 */
export async function writeNpmWithoutBuild(root: string, folder: string): Promise<void> {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const cases = Object.entries(scripts).flatMap(([name, script]) => {
    const [, command] = /^node scripts\/bootstrap\.mjs(?: --\w+)* (.+)$/.exec(script) ?? [];
    return command === undefined ? [] : [`"run ${name}") exec ${command};;`];
  });
  const npm = join(folder, "npm");
  // Any other command exits with 64, which means a usage error.
  await writeFile(npm, ["#!/bin/sh", `cd '${root}'`, 'case "$*" in', ...cases, "*) exit 64;;", "esac", ""].join("\n"));
  await chmod(npm, 0o755);
}
