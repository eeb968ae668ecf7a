import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { testReceiver } from "@offers/webhook-kit/testing";
import { startProcess } from "../../scripts/processes/start-process.ts";
import type { FreshProject } from "../../scripts/release/packages/fresh-project.ts";
import { startClientService } from "./client-service.ts";
import type { Runtime } from "./runtimes.ts";

const run = promisify(execFile);

/** The result of each check: a string that starts with "ok", or with "FAILED" and the reason. */
export type Results = Record<string, string>;

/** A runtime whose binary is available, and a project with the packed packages and this folder's files. */
export interface InstalledRuntime extends Runtime {
  path: string;
  project: FreshProject;
}

/** Runs client-scenario.mjs with the runtime's default transport. */
export const runClientOn = (runtime: InstalledRuntime) =>
  withService((addresses) =>
    runtime.binary === "workerd"
      ? runInWorker(runtime, addresses)
      : runOnCommandLine(runtime, "client-cli.mjs", addresses),
  );

/** Runs client-scenario.mjs with Node's `fetch`. */
export const runClientOverFetchOn = (runtime: InstalledRuntime) =>
  withService((addresses) => runOnCommandLine(runtime, "client-cli.mjs", addresses, "fetch"));

/** Runs testing-scenario.mjs, which needs no external service. */
export const runTestServiceOn = (runtime: InstalledRuntime) => runOnCommandLine(runtime, "testing-scenario.mjs");

/** Runs a client scenario with a service, and reports unexpected requests as a failed check. */
async function withService(runScenario: (addresses: string) => Promise<Results>): Promise<Results> {
  const service = await startClientService();
  try {
    const results = await runScenario(JSON.stringify(service.addresses));
    const { faults } = service;
    return { ...results, "nothing else sent": faults.length > 0 ? `FAILED: ${faults.join("; ")}` : "ok" };
  } finally {
    await service.close();
  }
}

async function runOnCommandLine(
  { path, flags, project }: InstalledRuntime,
  script: string,
  ...args: string[]
): Promise<Results> {
  const command = [...flags, join(project.folder, script), ...args];
  const { stdout } = await run(path, command, { cwd: project.folder, timeout: 60_000 });
  return JSON.parse(stdout) as Results;
}

async function runInWorker(runtime: InstalledRuntime, addresses: string): Promise<Results> {
  const worker = await serveOn(runtime, "client-worker.mjs");
  try {
    const response = await fetch(worker.address, { method: "POST", body: addresses });
    return (await response.json()) as Results;
  } finally {
    await worker.stop();
  }
}

/** Serves webhooks.mjs on a runtime, and checks it with requests. */
export async function checkWebhooksOn(runtime: InstalledRuntime): Promise<Results> {
  const server = await serveOn(runtime, runtime.binary === "workerd" ? "webhooks.mjs" : "webhooks-server.mjs");
  try {
    return await checkWebhooks(server.address);
  } finally {
    await server.stop();
  }
}

async function serveOn({ path, binary, flags, project }: InstalledRuntime, entry: string) {
  // Only the kit uses Node's modules.
  if (binary === "workerd")
    return serveOnWorkerd(path, project, entry, entry === "webhooks.mjs" ? ["nodejs_compat"] : []);
  const { ready, stop } = startProcess(path, [...flags, join(project.folder, entry)], { cwd: project.folder });
  return { address: await ready, stop };
}

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const event = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;

/** Checks a running webhooks.mjs with the kit's testReceiver. */
export async function checkWebhooks(address: string): Promise<Record<string, string>> {
  const receiver = await testReceiver(address, { secret, basePath: "/offers" });
  const { status } = await receiver.workerOfferResponse(event);
  const repeated = await receiver.resend();
  const received = await (await fetch(`${address}/received`)).text();
  const findings = await receiver.checkContract({ workerOfferResponse: event });
  await receiver.close();
  return {
    "an event": status === 200 ? "ok" : `FAILED: ${status}`,
    "the event again": repeated.status === 200 ? "ok" : `FAILED: ${repeated.status}`,
    "handled once": received === JSON.stringify([event]) ? "ok" : `FAILED: ${received}`,
    "the contract": findings.length === 0 ? "ok" : `FAILED: ${findings.join("; ")}`,
  };
}

/** The compatibility date of the Worker. It is old, because Workers in production may have old ones. With it, fetch rejects `cache`. */
const compatibilityDate = "2024-11-01";

const formatWorkerdConfig = (script: string, flags: readonly string[]) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker.mjs", esModule = embed "${script}")],
      compatibilityDate = "${compatibilityDate}",
      compatibilityFlags = [${flags.map((flag) => `"${flag}"`).join(", ")}],
    )),
    # Without this service, a Worker reaches only public addresses.
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
`;

/**
 * Serves a module on workerd, bundled with its imports, as tools for Workers do.
 *
 * @param flags compatibility flags, such as `nodejs_compat`
 */
export async function serveOnWorkerd(binary: string, project: FreshProject, entry: string, flags: readonly string[]) {
  const script = entry.replace(".mjs", ".bundle.mjs");
  const build = ["--bundle", "--format=esm", "--target=es2022", "--conditions=workerd,worker", "--external:node:*"];
  // Do not use npx: under `npm run`, it looks for esbuild in the folder in which npm was called.
  const esbuild = join(project.folder, "node_modules/.bin/esbuild");
  await promisify(execFile)(esbuild, [...build, `--outfile=${script}`, entry], { cwd: project.folder });
  const configFile = await project.write(entry.replace(".mjs", ".capnp"), formatWorkerdConfig(script, flags));

  const { ready, stop } = startProcess(binary, ["serve", configFile, "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
    ready: /"event":"listen".*"port":(\d+)/,
  });
  return { address: `http://127.0.0.1:${await ready}`, stop };
}
