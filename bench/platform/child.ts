import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A module of this folder as a process of its own, with an IPC channel; it ends when it is disconnected. */
export class Child {
  readonly #process: ChildProcess;

  constructor(module: string, ...args: string[]) {
    const env = { ...process.env, NODE_ENV: "production" };
    this.#process = fork(fileURLToPath(new URL(module, import.meta.url)), args, { env });
  }

  /**
   * Its next message.
   *
   * @throws when it ends instead
   */
  async message<T>(): Promise<T> {
    const over = new AbortController();
    const ended = once(this.#process, "exit", over).then(([code]) => {
      throw new Error(`${this.#process.spawnargs[1]} ended with ${code}.`);
    });
    try {
      const [message] = await Promise.race([once(this.#process, "message", over), ended]);
      return message as T;
    } finally {
      ended.catch(() => undefined);
      over.abort();
    }
  }

  /** @returns its answer */
  ask<T>(question: unknown): Promise<T> {
    const answer = this.message<T>();
    this.#process.send(question as object);
    return answer;
  }

  async stop(): Promise<void> {
    const exit = once(this.#process, "exit");
    if (this.#process.connected) this.#process.disconnect();
    if (this.#process.exitCode === null) await exit;
  }
}
