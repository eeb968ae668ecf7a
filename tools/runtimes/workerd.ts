import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import type { FreshProject } from "../packed/fresh-project.ts";

/** The day whose behaviour is asked for: a year old, as that of a Worker in production may be. */
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
 * Serves a module on workerd, bundled with what it imports, as every tool for Workers does it.
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

  const child = spawn(binary, ["serve", configFile, "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const exited = once(child, "exit");
  const address = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdio[3] as Readable }).on("line", (line) => {
      const { event, port } = JSON.parse(line) as { event: string; port: number };
      if (event === "listen") resolve(`http://127.0.0.1:${port}`);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
  });
  return {
    address,
    async stop() {
      child.kill();
      await exited;
    },
  };
}
