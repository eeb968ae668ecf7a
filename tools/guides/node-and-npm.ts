import { execFile } from "node:child_process";
import { access, realpath, symlink } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

/** The oldest Node that the README asks for. */
const oldestNode = "node@20.19.6";

/** What the network of this machine may need. */
const passedOn = /^(?:home|lang|(?:https?|no)_proxy|node_extra_ca_certs|npm_config_registry)$/i;

/** The environment of a reader who has installed Node 20 and npm, and nothing else that the repository could use. */
export async function nodeAndNpm(bin: string): Promise<Record<string, string | undefined>> {
  const { stdout } = await promisify(execFile)("npx", ["--yes", "-p", oldestNode, "-c", "node -p process.execPath"]);
  await symlink(stdout.trim(), join(bin, "node"));
  const npm = await realpath(await onPath("npm"));
  await symlink(npm, join(bin, "npm"));
  await symlink(join(dirname(npm), "npx-cli.js"), join(bin, "npx"));
  const kept = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  return { ...Object.fromEntries(kept), PATH: [bin, "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter) };
}

async function onPath(command: string): Promise<string> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, command);
    const found = await access(path).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  throw new Error(`${command} is not on the PATH`);
}
