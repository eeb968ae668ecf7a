import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { readDocument } from "../../guides/read-document.ts";
import { findFreePort } from "../../processes/free-port.ts";
import { type StartedProcess, startProcess } from "../../processes/start-process.ts";

const run = promisify(execFile);

/** The sandbox, installed with npm from its tarball into a separate project, with an empty home folder. */
export interface InstalledSandbox {
  launcher: string;
  /** The size of the sandbox and its dependencies. */
  bytes: number;
  /** The environment for its processes, with an empty home folder and the Node with which it was installed. */
  env: Record<string, string>;
  start(...options: string[]): StartedProcess;
  remove(): Promise<void>;
}

/** Installs the sandbox. @param node the path of Node's binary */
export async function installSandbox(tarball: string, node: string): Promise<InstalledSandbox> {
  const folder = await mkdtemp(join(tmpdir(), "offers-sandbox-"));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  await mkdir(home);
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true }));
  const env = createReaderEnvironment(home, node);
  // Runs share the npm cache, because it contains only downloads.
  const cache = { npm_config_cache: join(tmpdir(), "offers-sandbox-npm-cache") };
  const install = ["install", "--no-audit", "--no-fund", "--foreground-scripts", tarball];
  await run("npm", install, { cwd: project, env: { ...env, ...cache } });
  const launcher = join(project, "node_modules/@offers/sandbox/bin/offers-sandbox.cjs");
  return {
    launcher,
    bytes: await measureBytes(join(project, "node_modules")),
    env,
    start: (...options) => startProcess(node, [launcher, ...options], { env, cwd: project }),
    remove: () => rm(folder, { recursive: true, maxRetries: 5, retryDelay: 200 }),
  };
}

async function measureBytes(folder: string): Promise<number> {
  const { stdout } = await run("du", ["-sk", folder]);
  return Number(stdout.split("\t")[0]) * 1_024;
}

/** Finds the packages in a folder that have an install script. */
export async function findPackagesWithInstallScripts(project: string): Promise<string[]> {
  const files = await readdir(project, { recursive: true });
  const names: string[] = [];
  for (const file of files.filter((path) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path))) {
    const { default: manifest } = (await import(join(project, file), { with: { type: "json" } })) as {
      default: { name?: string; scripts?: Record<string, string> };
    };
    const { preinstall, install, postinstall } = manifest.scripts ?? {};
    if (preinstall ?? install ?? postinstall) names.push(manifest.name ?? file);
  }
  return names;
}

/** Matches the names of environment variables that this machine's network may need. */
const inheritedName = /^(?:(?:https?|no)_proxy|node_extra_ca_certs|npm_config_registry)$/i;

/**
 * Creates the environment variables of a reader who has an empty home folder and only one version of Node.
 *
 * @param node the path of Node's binary
 */
export function createReaderEnvironment(home: string, node: string): Record<string, string> {
  const inheritedEnv = Object.entries(process.env).filter(([name]) => inheritedName.test(name)) as [string, string][];
  return {
    ...Object.fromEntries(inheritedEnv),
    HOME: home,
    TMPDIR: home,
    PATH: [dirname(node), process.env.PATH].join(delimiter),
  };
}

const root = resolve(import.meta.dirname, "../../..");

/**
 * Runs the two commands of docs/guides/without-a-clone.md in a folder that contains only the receiver from the guide.
 *
 * @param tarball replaces the package name in the command
 * @returns the seconds until the receiver has received two responses, and the lines that it printed for them
 */
export async function runGuideCommands(
  tarball: string,
  node: string,
): Promise<{ seconds: number; received: string[] }> {
  const receiver = readDocument(root, "docs/guides/without-a-clone.md").find(({ saveAs }) => saveAs === "receiver.mjs");
  if (receiver === undefined) throw new Error("the guide has no block to save as receiver.mjs");
  const folder = await mkdtemp(join(tmpdir(), "offers-two-commands-"));
  const [sandboxPort, receiverPort] = [await findFreePort(), await findFreePort()];
  const home = join(folder, "home");
  await mkdir(home);
  await writeFile(join(folder, "receiver.mjs"), receiver.code.replaceAll("3001", String(receiverPort)));
  const env = createReaderEnvironment(home, node);
  const startedAt = performance.now();
  const ready = /^receiver (listening)/;
  const receiverProcess = startProcess(node, ["receiver.mjs"], { cwd: folder, env, ready });
  const options = [
    "--port",
    String(sandboxPort),
    "--webhooks-to",
    `http://localhost:${receiverPort}/offers`,
    "--example",
  ];
  // Start a process group, because npx does not forward SIGKILL.
  const sandbox = startProcess("npx", ["--yes", "-p", tarball, "offers-sandbox", ...options], {
    cwd: folder,
    env,
    detached: true,
  });
  try {
    await sandbox.ready;
    // The first line reports that the receiver is listening. A line for each of the two responses follows.
    while (receiverProcess.lines.length < 3 && performance.now() - startedAt < 120_000) await sleep(20);
    return { seconds: (performance.now() - startedAt) / 1_000, received: receiverProcess.lines.slice(1).sort() };
  } finally {
    const { pid, exitCode } = sandbox.child;
    if (pid !== undefined && exitCode === null) process.kill(-pid, "SIGKILL");
    await receiverProcess.stop();
    await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 200 });
  }
}
