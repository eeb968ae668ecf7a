import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const startLimitMs = 180_000;

/** One of the story's processes. */
export interface Party {
  readonly name: string;
  readonly address: string;
  readonly pid: number;
  /** The last lines it printed, for when something goes wrong. */
  readonly lastLines: readonly string[];
  /** Resolves when the process has ended, however. */
  readonly ended: Promise<string>;
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** Starts `entry` as a process of its own and waits until it says where it listens. */
export async function startParty(name: string, entry: string, env: Record<string, string>): Promise<Party> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", entry], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lastLines: string[] = [];
  const ended = once(child, "exit").then(([code, signal]) => String(signal ?? `exit code ${code}`));
  const address = await Promise.race([
    listeningAddress(child, lastLines),
    ended.then((how) => Promise.reject(new Error(how))),
    sleep(startLimitMs, undefined, { ref: false }).then(() => Promise.reject(new Error("not heard in time"))),
  ]).catch((error: Error) => {
    child.kill("SIGKILL");
    throw new Error(`the ${name} did not start (${error.message})\n${lastLines.join("\n")}`);
  });
  return {
    name,
    address,
    pid: child.pid ?? 0,
    lastLines,
    ended,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await ended;
    },
  };
}

function listeningAddress({ stdout, stderr }: ChildProcess, lastLines: string[]): Promise<string> {
  if (!stdout || !stderr) throw new Error("its output is not piped");
  return new Promise((resolve) => {
    for (const input of [stdout, stderr])
      createInterface({ input }).on("line", (line) => {
        lastLines.push(line);
        if (lastLines.length > 40) lastLines.shift();
        const [, address] = /listening on (http:\/\/[\w.]+:\d+)/.exec(line) ?? [];
        if (address) resolve(address);
      });
  });
}
