import { Worker } from "node:worker_threads";
import type { PGlite, PGliteQueryResults, PGliteTransaction } from "kysely";
import type { PgliteAnswer, PgliteFailure, PgliteQuestion, PgliteRows, PgliteWorkerData } from "./pglite-messages.ts";
import { StoreError } from "./store-error.ts";

interface Waiting {
  resolve(rows: PgliteRows): void;
  reject(error: Error): void;
}

const errorOf = (failure: PgliteFailure): Error => Object.assign(new Error(failure.message), failure);

/** PGlite in a worker thread, in the shape that kysely's `PGliteDialect` asks for. */
export class PgliteProxy implements PGlite {
  readonly waitReady: Promise<void>;
  ready = false;
  closed = false;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #lastId = 0;
  /** The last transaction asked for. Whoever comes later waits for it: there is one connection. */
  #turn: Promise<void> = Promise.resolve();

  /** @param onStopped told when the thread ends although nobody closed it */
  constructor(folder: string, onStopped: (error: Error) => void) {
    const workerData: PgliteWorkerData = { folder };
    this.#worker = new Worker(new URL("./pglite-worker.ts", import.meta.url), { workerData, name: "pglite" });
    let started: Waiting | undefined;
    this.waitReady = new Promise<void>((resolve, reject) => {
      started = { resolve: () => resolve(), reject };
    });
    const stop = (error: Error): void => {
      const unexpected = !this.closed;
      this.closed = true;
      started?.reject(error);
      for (const waiting of this.#waiting.values()) waiting.reject(error);
      this.#waiting.clear();
      if (unexpected && this.ready) onStopped(error);
    };
    this.#worker.on("message", (message: PgliteAnswer) => {
      if ("id" in message) return this.#settle(message);
      if ("failure" in message) {
        void this.#worker.terminate();
        return stop(errorOf(message.failure));
      }
      this.ready = true;
      started?.resolve({ rows: [] });
    });
    this.#worker.on("error", (cause) => stop(new StoreError("store_stopped", "PGlite's thread failed", { cause })));
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        stop(new StoreError("store_stopped", "PGlite's thread has ended; start the platform again"));
        resolve();
      });
    });
  }

  async query<T>(sql: string, parameters: unknown[] = []): Promise<PGliteQueryResults<T>> {
    await this.#turn;
    return this.#ask<T>(sql, parameters, true);
  }

  transaction<T>(work: (transaction: PGliteTransaction) => Promise<T>): Promise<T> {
    const result = this.#turn.then(() => this.#transact(work));
    this.#turn = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  async close(): Promise<void> {
    await this.#turn;
    if (!this.closed) {
      this.closed = true;
      this.#worker.postMessage("close");
    }
    await this.#exited;
  }

  async #transact<T>(work: (transaction: PGliteTransaction) => Promise<T>): Promise<T> {
    await this.#ask("begin", [], true);
    try {
      const result = await work({
        query: (sql, parameters = []) => this.#ask(sql, parameters, false),
        rollback: async () => void (await this.#ask("rollback", [], false)),
      });
      // COMMIT of a failed transaction is a silent ROLLBACK. The query before it fails instead, with 25P02.
      await this.#ask("select 1; commit", [], false);
      return result;
    } catch (error) {
      // Where this fails too, the thread is gone, and the transaction with it. The first error says why.
      await this.#ask("rollback", [], false).catch(() => undefined);
      throw error;
    }
  }

  #ask<T>(sql: string, parameters: unknown[], standalone: boolean): Promise<PGliteQueryResults<T>> {
    if (this.closed) return Promise.reject(new StoreError("store_stopped", "the store is closed"));
    this.#lastId += 1;
    const question: PgliteQuestion = {
      id: this.#lastId,
      sql,
      standalone,
      ...(parameters.length > 0 && { parameters }),
    };
    return new Promise((resolve, reject) => {
      const done = (answer: PgliteRows): void => resolve({ ...answer, rows: answer.rows as T[], fields: [] });
      this.#waiting.set(question.id, { resolve: done, reject });
      this.#worker.postMessage(question);
    });
  }

  #settle(answer: Extract<PgliteAnswer, { id: number }>): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ("failure" in answer) waiting?.reject(errorOf(answer.failure));
    else waiting?.resolve(answer);
  }
}
