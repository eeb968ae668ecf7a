import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FreshProject } from "../packed/fresh-project.ts";
import { startProcess } from "../start-process.ts";
import { startClientService } from "./client-service.ts";
import type { Runtime } from "./runtimes.ts";
import { checkWebhooks } from "./webhook-checks.ts";
import { serveOnWorkerd } from "./workerd.ts";

const run = promisify(execFile);

/** How each check ended: a text that begins with "ok", or one that says why not. */
export type Results = Record<string, string>;

/** A runtime whose binary is at hand, and a project that has the packed packages and the files of this folder. */
export interface Installed extends Runtime {
  path: string;
  project: FreshProject;
}

/** Runs client-scenario.mjs, over the runtime's fetch. */
export const clientOn = (installed: Installed) =>
  withService((addresses) =>
    installed.binary === "workerd"
      ? inWorker(installed, addresses)
      : onCommandLine(installed, "client-cli.mjs", addresses),
  );

/** Runs client-scenario.mjs, over `/node`. */
export const clientOverUndiciOn = (installed: Installed) =>
  withService((addresses) => onCommandLine(installed, "client-cli-undici.mjs", addresses));

/** Runs testing-scenario.mjs, which needs no service but its own. */
export const testServiceOn = (installed: Installed) => onCommandLine(installed, "testing-scenario.mjs");

async function withService(runScenario: (addresses: string) => Promise<Results>): Promise<Results> {
  const service = await startClientService();
  try {
    const results = await runScenario(JSON.stringify(service.addresses));
    const faults = service.faults();
    return { ...results, "nothing else sent": faults[0] ? `FAILED: ${faults.join("; ")}` : "ok" };
  } finally {
    await service.stop();
  }
}

async function onCommandLine({ path, flags, project }: Installed, script: string, ...args: string[]): Promise<Results> {
  const command = [...flags, join(project.folder, script), ...args];
  const { stdout } = await run(path, command, { cwd: project.folder, timeout: 60_000 });
  return JSON.parse(stdout) as Results;
}

async function inWorker({ path, project }: Installed, addresses: string): Promise<Results> {
  // Without nodejs_compat: the core asks for nothing of Node.
  const worker = await serveOnWorkerd(path, project, "client-worker.mjs", []);
  try {
    const response = await fetch(worker.address, { method: "POST", body: addresses });
    return (await response.json()) as Results;
  } finally {
    await worker.stop();
  }
}

/** Serves webhooks.mjs, and checks it from outside. */
export async function webhooksOn({ path, binary, flags, project }: Installed): Promise<Results> {
  if (binary === "workerd") {
    const worker = await serveOnWorkerd(path, project, "webhooks.mjs", ["nodejs_compat"]);
    try {
      return await checkWebhooks(worker.address);
    } finally {
      await worker.stop();
    }
  }
  const script = join(project.folder, "webhooks-server.mjs");
  const server = startProcess(path, [...flags, script], { cwd: project.folder });
  try {
    return await checkWebhooks(await server.ready);
  } finally {
    await server.stop();
  }
}
