import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import type { TestDatabase } from "./stores/stores.ts";

const main = join(import.meta.dirname, "..", "..", "src", "main.ts");

export interface PlatformProcess {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  exited: Promise<{ code: number | null; signal: string | null }>;
  /** Resolves with the platform's URL once it is listening. If the process exits first, resolves with its error output. */
  waitForAddress(): Promise<string>;
}

/** Starts the platform as a process on a free port. Its environment contains only `PATH` and settings. */
export function startProcess({ options }: TestDatabase, environment: Record<string, string> = {}): PlatformProcess {
  const { dataFolder, databaseUrl = "", listenUrl = "" } = options;
  const store = { OFFERS_DATA: dataFolder, DATABASE_URL: databaseUrl, DATABASE_LISTEN_URL: listenUrl };
  // Skip V8's optimising WebAssembly compiler, because PGlite would not benefit from it in a process that runs for only a few seconds.
  const child = spawn(process.execPath, ["--liftoff-only", main], {
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      ...store,
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output.stderr += chunk;
  });
  const exited = once(child, "exit").then(([code, signal]) => ({ code, signal }));
  const waitForAddress = async (): Promise<string> => {
    await eventually(
      "the platform listens or exits",
      () => output.stdout.includes("platform listening on") || child.exitCode !== null,
    );
    return /listening on (http:\/\/\S+)/.exec(output.stdout)?.[1] ?? `not listening: ${output.stderr}`;
  };
  return { child, output, exited, waitForAddress };
}
