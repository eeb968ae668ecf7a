// Installs published packages from npm, as their users do, and runs the READMEs with them:
//   npm run check -- release:verify @offers/client@0.1.0 @offers/webhook-kit@0.1.0
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand } from "../processes/run-command.ts";
import { installPackages } from "./installed/check-installed.ts";
import { projects } from "./installed/projects.ts";

const ids = process.argv.slice(2);
if (ids.length === 0) throw new Error("name what was published: npm run check -- release:verify @offers/client@0.1.0");
const dependencies = Object.fromEntries(
  ids.map((id) => [id.slice(0, id.lastIndexOf("@")), id.split("@").at(-1) ?? ""]),
);

const scratch = await mkdtemp(join(tmpdir(), "offers-verify-"));
try {
  for (const id of ids) await waitUntilPublished(id);
  const project = await installPackages(join(scratch, "readmes"), ids);
  console.log(`${await project.compileReadmes()} of READMEs compile`);
  console.log(`${await project.goToDefinitions()} lead to readable sources`);
  console.log(await runCommand("npm", ["audit", "signatures"], { cwd: project.folder }));

  const folder = join(scratch, "program");
  await mkdir(folder);
  const registry = (await runCommand("npm", ["config", "get", "registry"], { cwd: folder })).trim();
  await projects["ES modules, nodenext"]?.({ folder, registry, env: process.env, dependencies });
  console.log("README.md runs");
} finally {
  await rm(scratch, { recursive: true });
}

/** npm delivers a version some seconds after it was published. */
async function waitUntilPublished(id: string): Promise<void> {
  for (let left = 30; ; left--) {
    const found = await runCommand("npm", ["view", id, "version", "--loglevel=error"], { cwd: scratch }).catch(
      (error: Error) => {
        if (left === 0 || !error.message.includes("E404")) throw error;
        return "";
      },
    );
    if (found.trim() !== "") return;
    if (left === 0) throw new Error(`npm does not deliver ${id}`);
    await sleep(10_000);
  }
}
