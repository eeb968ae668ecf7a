import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { StoreError } from "../store.ts";
import type { PgliteFailure, PgliteRequest, PgliteResponse, PgliteRows, PgliteWorkerData } from "./pglite-messages.ts";

interface PendingRequest {
  resolve(rows: PgliteRows): void;
  reject(error: Error): void;
}

const toError = (failure: PgliteFailure): Error => Object.assign(new Error(failure.message), failure);

// The worker file is next to this one, even in the bundle, where both are JavaScript.
const workerFile = new URL(`./pglite-worker${extname(import.meta.url)}`, import.meta.url);

/** Runs PGlite in a worker thread. The thread runs requests in the order in which `PgliteConnection` sends them. */
export class PgliteThread {
  readonly waitReady: Promise<void>;
  ready = false;
  closed = false;
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #exited: Promise<void>;
  #lastId = 0;

  /** @param onStopped called if the thread ends without being closed */
  constructor(folder: string, onStopped: (error: Error) => void) {
    const workerData: PgliteWorkerData = { folder };
    this.#worker = new Worker(workerFile, { workerData, name: "pglite" });
    let startup: PendingRequest | undefined;
    this.waitReady = new Promise<void>((resolve, reject) => {
      startup = { resolve: () => resolve(), reject };
    });
    const stop = (error: Error): void => {
      const isUnexpected = !this.closed;
      this.closed = true;
      startup?.reject(error);
      for (const request of this.#pending.values()) request.reject(error);
      this.#pending.clear();
      if (isUnexpected && this.ready) onStopped(error);
    };
    this.#worker.on("message", (message: PgliteResponse) => {
      if ("id" in message) return this.#settle(message);
      if ("failure" in message) {
        void this.#worker.terminate();
        return stop(toError(message.failure));
      }
      this.ready = true;
      startup?.resolve({ rows: [] });
    });
    this.#worker.on("error", (cause) => stop(new StoreError("store_stopped", "PGlite's thread failed", { cause })));
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        stop(new StoreError("store_stopped", "PGlite's thread has ended; start the platform again"));
        resolve();
      });
    });
  }

  /** Sends a request. @param standalone whether it is outside a transaction; if so, the worker rolls back after an error */
  send(sql: string, parameters: unknown[], standalone: boolean): Promise<PgliteRows> {
    if (this.closed) return Promise.reject(new StoreError("store_stopped", "the store is closed"));
    this.#lastId += 1;
    const request: PgliteRequest = {
      id: this.#lastId,
      sql,
      standalone,
      ...(parameters.length > 0 && { parameters }),
    };
    return new Promise((resolve, reject) => {
      this.#pending.set(request.id, { resolve, reject });
      this.#worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    if (!this.closed) {
      this.closed = true;
      this.#worker.postMessage("close");
    }
    await this.#exited;
  }

  #settle(response: Extract<PgliteResponse, { id: number }>): void {
    const request = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if ("failure" in response) request?.reject(toError(response.failure));
    else request?.resolve(response);
  }
}
