import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import type { KilledReceiverSetup, ResumeMessage, Stage, StageMessage } from "./messages.ts";

/** A receiver process that is killed with SIGKILL when `shouldKill` returns true, and then restarted. */
export class KilledReceiver {
  readonly #setup: KilledReceiverSetup;
  readonly #shouldKill: (stage: Stage, event: string) => boolean;
  #child: ChildProcess | undefined;
  #port: Promise<number>;
  #isStopped = false;

  constructor(setup: KilledReceiverSetup, shouldKill: (stage: Stage, event: string) => boolean) {
    this.#setup = setup;
    this.#shouldKill = shouldKill;
    this.#port = this.#start();
    onTestFinished(() => this.stop());
  }

  #start(): Promise<number> {
    const child = fork(new URL("receiver-process.ts", import.meta.url), [JSON.stringify(this.#setup)], {
      execArgv: ["--no-warnings"],
    });
    this.#child = child;
    return new Promise((resolve, reject) => {
      child.on("message", (message: StageMessage) => {
        if (message.type === "listening") resolve(message.port);
        else if (this.#shouldKill(message.stage, message.event)) child.kill("SIGKILL");
        // The callback ignores an error, because the process may already have ended.
        else child.send({ resume: `${message.stage} ${message.event}` } satisfies ResumeMessage, () => undefined);
      });
      child.once("exit", (code, signal) => {
        if (this.#isStopped) return;
        if (signal !== "SIGKILL") return reject(new Error(`The receiver process exited with ${code ?? signal}.`));
        this.#port = this.#start();
        resolve(this.#port);
      });
    });
  }

  /** Sends a request to the current process. @returns the status, or undefined if the process ended before it responded */
  async send(path: string, init: RequestInit): Promise<number | undefined> {
    const port = await this.#port;
    return fetch(`http://127.0.0.1:${port}${path}`, init).then(
      ({ status }) => status,
      () => undefined,
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
}
