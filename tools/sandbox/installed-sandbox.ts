import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type StartedProcess, startProcess } from "../processes/start-process.ts";
import { readerEnvironment } from "./reader-environment.ts";

const run = promisify(execFile);

/** The tarball of the sandbox, installed by npm into a project of its own, with an empty home. */
export interface InstalledSandbox {
  launcher: string;
  /** Of the project with its dependencies. */
  bytes: number;
  /** The environment of its processes: an empty home, and its Node. */
  env: Record<string, string>;
  start(...options: string[]): StartedProcess;
  remove(): Promise<void>;
}

/** @param node the path of its binary */
export async function installSandbox(tarball: string, node: string): Promise<InstalledSandbox> {
  const folder = await mkdtemp(join(tmpdir(), "offers-sandbox-"));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  await mkdir(home);
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true }));
  const env = readerEnvironment(home, node);
  // Shared between runs: it is what is downloaded, and no part of what is installed.
  const cache = { npm_config_cache: join(tmpdir(), "offers-sandbox-npm-cache") };
  const install = ["install", "--no-audit", "--no-fund", "--foreground-scripts", tarball];
  await run("npm", install, { cwd: project, env: { ...env, ...cache } });
  const launcher = join(project, "node_modules/@offers/sandbox/bin/offers-sandbox.cjs");
  return {
    launcher,
    bytes: await bytesOf(join(project, "node_modules")),
    env,
    start: (...options) => startProcess(node, [launcher, ...options], { env, cwd: project }),
    remove: () => rm(folder, { recursive: true, maxRetries: 5, retryDelay: 200 }),
  };
}

async function bytesOf(folder: string): Promise<number> {
  const { stdout } = await run("du", ["-sk", folder]);
  return Number(stdout.split("\t")[0]) * 1_024;
}

/** The packages below a folder that npm would run a script of while it installs them. */
export async function packagesWithInstallScripts(project: string): Promise<string[]> {
  const files = await readdir(project, { recursive: true });
  const found: string[] = [];
  for (const file of files.filter((name) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(name))) {
    const { default: manifest } = (await import(join(project, file), { with: { type: "json" } })) as {
      default: { name?: string; scripts?: Record<string, string> };
    };
    const { preinstall, install, postinstall } = manifest.scripts ?? {};
    if (preinstall ?? install ?? postinstall) found.push(manifest.name ?? file);
  }
  return found;
}
