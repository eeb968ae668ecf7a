import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const startTimeoutMs = 180_000;

/** A process that has started listening. */
export interface RunningProcess {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** The last 40 lines that the process printed, for the report of a failure. */
  readonly lastLines: readonly string[];
  /** Resolves with the signal or exit code when the process has ended. */
  readonly ended: Promise<string>;
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/**
 * Starts a program as a process and waits until it prints its URL.
 *
 * @param command the program file and its arguments
 */
export async function startProcess(
  name: string,
  command: readonly string[],
  env: Record<string, string>,
): Promise<RunningProcess> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...command], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lastLines: string[] = [];
  const ended = once(child, "exit").then(([code, signal]) => String(signal ?? `exit code ${code}`));
  const url = await Promise.race([
    readListeningUrl(child, lastLines),
    ended.then((reason) => Promise.reject(new Error(reason))),
    sleep(startTimeoutMs, undefined, { ref: false }).then(() =>
      Promise.reject(new Error(`it did not print its URL within ${startTimeoutMs / 1_000} s`)),
    ),
  ]).catch((error: Error) => {
    child.kill("SIGKILL");
    throw new Error(`the ${name} did not start (${error.message})\n${lastLines.join("\n")}`);
  });
  return {
    name,
    url,
    pid: child.pid ?? 0,
    lastLines,
    ended,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await ended;
    },
  };
}

function readListeningUrl({ stdout, stderr }: ChildProcess, lastLines: string[]): Promise<string> {
  if (!stdout || !stderr) throw new Error("The output of the process is not piped.");
  return new Promise((resolve) => {
    for (const input of [stdout, stderr])
      createInterface({ input }).on("line", (line) => {
        lastLines.push(line);
        if (lastLines.length > 40) lastLines.shift();
        const [, url] = /listening on (http:\/\/[\w.]+:\d+)/.exec(line) ?? [];
        if (url) resolve(url);
      });
  });
}
