import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FreshProject } from "../packed/fresh-project.ts";
import { startProcess } from "../processes/start-process.ts";

/** A year old, as the compatibility date of a Worker in production may be. */
const compatibilityDate = "2025-11-01";

const config = (script: string, flags: readonly string[]) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker.mjs", esModule = embed "${script}")],
      compatibilityDate = "${compatibilityDate}",
      compatibilityFlags = [${flags.map((flag) => `"${flag}"`).join(", ")}],
    )),
    # Without it, a Worker reaches public addresses only.
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
`;

/**
 * Serves a module on workerd, bundled with what it imports, as tools for Workers do.
 *
 * @param flags compatibility flags, such as `nodejs_compat`
 */
export async function serveOnWorkerd(binary: string, project: FreshProject, entry: string, flags: readonly string[]) {
  const script = entry.replace(".mjs", ".bundle.mjs");
  const build = ["--bundle", "--format=esm", "--target=es2022", "--conditions=workerd,worker", "--external:node:*"];
  // Not through npx: below npm run it looks for esbuild in the folder that npm was called in.
  const esbuild = join(project.folder, "node_modules/.bin/esbuild");
  await promisify(execFile)(esbuild, [...build, `--outfile=${script}`, entry], { cwd: project.folder });
  const configFile = await project.write(entry.replace(".mjs", ".capnp"), config(script, flags));

  const { ready, stop } = startProcess(binary, ["serve", configFile, "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
    ready: /"event":"listen".*"port":(\d+)/,
  });
  return { address: `http://127.0.0.1:${await ready}`, stop };
}
