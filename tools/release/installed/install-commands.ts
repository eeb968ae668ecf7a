import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isCommand, readDocument } from "../../guides/read-document.ts";
import { runDocument } from "../../guides/run-document.ts";
import { runCommand } from "../../processes/run-command.ts";

/** Why a README's command is not run before a package is on npm. */
const unpublished = /\bnot on npm before the first release\b/;

/**
 * Runs the installations that installed READMEs print, each README's in a folder of its own.
 *
 * @param project has installed the packages
 * @returns how many commands it ran
 */
export async function runInstallCommands(
  project: string,
  destination: string,
  env: Record<string, string | undefined>,
): Promise<number> {
  let commands = 0;
  for (const name of await readdir(join(project, "node_modules/@offers"))) {
    const readme = readDocument(join(project, "node_modules/@offers", name), "README.md");
    const blocks = readme
      .filter((block) => isCommand(block) && unpublished.test(block.notRun ?? ""))
      .filter((block) => block.code.startsWith("npm install "))
      .map(({ notRun: _, ...block }) => block);
    const folder = join(destination, name);
    await mkdir(folder, { recursive: true });
    await runCommand("npm", ["init", "--yes"], { cwd: folder, env });
    await runDocument(blocks, { root: folder, env, limitMs: 600_000 });
    commands += blocks.length;
  }
  return commands;
}
