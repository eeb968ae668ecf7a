import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Runs a module in a child process with an IPC channel. */
export class ForkedProcess {
  readonly #process: ChildProcess;

  constructor(module: URL, ...args: string[]) {
    this.#process = fork(fileURLToPath(module), args, { env: { ...process.env, NODE_ENV: "production" } });
  }

  /** Waits for the next message from the process. @throws if the process exits instead */
  async waitForMessage<T>(): Promise<T> {
    const listeners = new AbortController();
    const exited = once(this.#process, "exit", listeners).then(([code]) => {
      throw new Error(`${this.#process.spawnargs.slice(1).join(" ")} exited with ${code}.`);
    });
    try {
      const [message] = await Promise.race([once(this.#process, "message", listeners), exited]);
      return message as T;
    } finally {
      // Removing the listener rejects this promise, and nothing awaits it any longer.
      exited.catch(() => undefined);
      listeners.abort();
    }
  }

  /** Sends a message. @returns the next message from the process, which must be the response */
  request<T>(message: unknown): Promise<T> {
    const response = this.waitForMessage<T>();
    this.#process.send(message as object);
    return response;
  }

  /** Sends a signal or, without one, disconnects the IPC channel so that the module exits by itself. Waits for the exit. */
  async stop(signal?: NodeJS.Signals): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, "exit");
    if (signal) this.#process.kill(signal);
    else if (this.#process.connected) this.#process.disconnect();
    await exited;
  }
}
