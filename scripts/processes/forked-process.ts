import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A module in its own process, with an IPC channel. */
export class ForkedProcess {
  readonly #process: ChildProcess;

  constructor(module: URL, ...args: string[]) {
    this.#process = fork(fileURLToPath(module), args, { env: { ...process.env, NODE_ENV: "production" } });
  }

  /**
   * The process's next message.
   *
   * @throws if it exits instead
   */
  async message<T>(): Promise<T> {
    const over = new AbortController();
    const exited = once(this.#process, "exit", over).then(([code]) => {
      throw new Error(`${this.#process.spawnargs.slice(1).join(" ")} exited with ${code}.`);
    });
    try {
      const [message] = await Promise.race([once(this.#process, "message", over), exited]);
      return message as T;
    } finally {
      exited.catch(() => undefined);
      over.abort();
    }
  }

  /** @returns its response */
  request<T>(message: unknown): Promise<T> {
    const response = this.message<T>();
    this.#process.send(message as object);
    return response;
  }

  /** Disconnects it, so that it exits, or sends it a signal. */
  async stop(signal?: NodeJS.Signals): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, "exit");
    if (signal) this.#process.kill(signal);
    else if (this.#process.connected) this.#process.disconnect();
    await exited;
  }
}
