import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FreshProject } from "../packed/fresh-project.ts";
import { startProcess } from "../processes/start-process.ts";
import { startClientService } from "./client-service.ts";
import type { Runtime } from "./runtimes.ts";
import { checkWebhooks } from "./webhook-checks.ts";
import { serveOnWorkerd } from "./workerd.ts";

const run = promisify(execFile);

/** How each check ended: a text that begins with "ok", or a text with the reason. */
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
  withService((addresses) => onCommandLine(installed, "client-cli.mjs", addresses, "undici"));

/** Runs testing-scenario.mjs, which needs no service but its own. */
export const testServiceOn = (installed: Installed) => onCommandLine(installed, "testing-scenario.mjs");

async function withService(runScenario: (addresses: string) => Promise<Results>): Promise<Results> {
  const service = await startClientService();
  try {
    const results = await runScenario(JSON.stringify(service.addresses));
    return { ...results, "nothing else sent": service.faults[0] ? `FAILED: ${service.faults.join("; ")}` : "ok" };
  } finally {
    await service.close();
  }
}

async function onCommandLine({ path, flags, project }: Installed, script: string, ...args: string[]): Promise<Results> {
  const command = [...flags, join(project.folder, script), ...args];
  const { stdout } = await run(path, command, { cwd: project.folder, timeout: 60_000 });
  return JSON.parse(stdout) as Results;
}

async function inWorker(installed: Installed, addresses: string): Promise<Results> {
  const worker = await serveOn(installed, "client-worker.mjs");
  try {
    const response = await fetch(worker.address, { method: "POST", body: addresses });
    return (await response.json()) as Results;
  } finally {
    await worker.stop();
  }
}

/** Serves webhooks.mjs, and checks it from outside. */
export async function webhooksOn(installed: Installed): Promise<Results> {
  const server = await serveOn(installed, installed.binary === "workerd" ? "webhooks.mjs" : "webhooks-server.mjs");
  try {
    return await checkWebhooks(server.address);
  } finally {
    await server.stop();
  }
}

async function serveOn({ path, binary, flags, project }: Installed, entry: string) {
  // The client asks for nothing of Node.
  if (binary === "workerd")
    return serveOnWorkerd(path, project, entry, entry === "webhooks.mjs" ? ["nodejs_compat"] : []);
  const { ready, stop } = startProcess(path, [...flags, join(project.folder, entry)], { cwd: project.folder });
  return { address: await ready, stop };
}
