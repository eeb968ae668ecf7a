import { fork } from "node:child_process";
import { once } from "node:events";
import { onTestFinished, vi } from "vitest";
import type { FromProcess, ProcessSetup, ToProcess } from "./messages.ts";

export interface ReceiverProcess {
  readonly url: string;
  /** The ids of the workers whose responses the handler received. */
  readonly handled: string[];
  /** Lets the current and later handler runs finish. */
  finish(): void;
  /** Kills the process immediately, like kill -9. */
  kill(): Promise<void>;
}

/** Starts a receiver in a separate process, which is killed when the test ends. */
export async function startProcess(setup: ProcessSetup): Promise<ReceiverProcess> {
  const child = fork(new URL("receiver-process.ts", import.meta.url), [JSON.stringify(setup)], {
    execArgv: ["--no-warnings"],
  });
  const exited = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  const handled: string[] = [];
  let port: number | undefined;
  child.on("message", (message: FromProcess) => {
    if (message.type === "listening") port = message.port;
    else handled.push(message.workerId);
  });
  await vi.waitUntil(() => port !== undefined || child.exitCode !== null, { timeout: 30_000 });
  if (port === undefined) throw new Error(`The receiver process exited with ${child.exitCode}.`);
  return {
    url: `http://127.0.0.1:${port}`,
    handled,
    finish: () => void child.send("finish" satisfies ToProcess),
    kill,
  };
}
