import { execFile } from "node:child_process";
import { realpath, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { installOldestNode } from "../processes/run-command.ts";

/** Matches the names of environment variables that a reader has too, or that this machine's network may need. */
const inheritedName = /^(?:home|lang|(?:https?|no)_proxy|node_extra_ca_certs|npm_config_registry)$/i;

/** Creates the environment of a reader who has only Node 20 and npm. @param bin an empty folder, which becomes the first on the PATH */
export async function createReaderEnv(bin: string): Promise<Record<string, string | undefined>> {
  await symlink(await installOldestNode(), join(bin, "node"));
  const { stdout } = await promisify(execFile)("sh", ["-c", "command -v npm"]);
  const npm = await realpath(stdout.trim());
  await symlink(npm, join(bin, "npm"));
  await symlink(join(dirname(npm), "npx-cli.js"), join(bin, "npx"));
  const inheritedEnv = Object.entries(process.env).filter(([name]) => inheritedName.test(name));
  return { ...Object.fromEntries(inheritedEnv), PATH: [bin, "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter) };
}
