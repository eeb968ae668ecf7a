import type { PGlite, PGliteQueryResults, PGliteTransaction } from "kysely";
import type { PgliteThread } from "./pglite-thread.ts";
import type { Lane, PriorityMutex } from "./priority-mutex.ts";

/** The members of the thread that a connection uses. The thread runs requests in the order in which they are sent. */
type RequestQueue = Pick<PgliteThread, "waitReady" | "ready" | "closed" | "send" | "close">;

/** Adapts PGlite's single connection to kysely's `PGliteDialect`. Several instances share the connection and take turns. */
export class PgliteConnection implements PGlite {
  readonly waitReady: Promise<void>;
  readonly #thread: RequestQueue;
  readonly #mutex: PriorityMutex;
  readonly #lane: Lane;

  constructor(thread: RequestQueue, mutex: PriorityMutex, lane: Lane) {
    this.waitReady = thread.waitReady;
    this.#thread = thread;
    this.#mutex = mutex;
    this.#lane = lane;
  }

  get ready(): boolean {
    return this.#thread.ready;
  }

  get closed(): boolean {
    return this.#thread.closed;
  }

  async query<T>(sql: string, parameters: unknown[] = []): Promise<PGliteQueryResults<T>> {
    // The thread runs requests in order, so the next request may be sent before the response to this request arrives.
    const { response } = await this.#mutex.runExclusive(this.#lane, async () => ({
      response: this.#send<T>(sql, parameters, true),
    }));
    return response;
  }

  async transaction<T>(work: (transaction: PGliteTransaction) => Promise<T>): Promise<T> {
    const { result, commit } = await this.#mutex.runExclusive(this.#lane, () => this.#transact(work));
    await commit;
    return result;
  }

  /** Closes PGlite after this lane's earlier requests. */
  close(): Promise<void> {
    return this.#mutex.runExclusive(this.#lane, () => this.#thread.close());
  }

  /** Runs a transaction. Returns before the commit, because later requests run after it even if they are sent now. */
  async #transact<T>(
    work: (transaction: PGliteTransaction) => Promise<T>,
  ): Promise<{ result: T; commit: Promise<unknown> }> {
    // Send the first statement without waiting for BEGIN, because the thread runs requests in order.
    const beginResponse = this.#send("begin", [], true);
    // The rejection is handled below, where `beginResponse` is awaited. Until then, it would count as unhandled.
    beginResponse.catch(() => undefined);
    try {
      const result = await work({
        query: (sql, parameters = []) => this.#send(sql, parameters, false),
        rollback: async () => void (await this.#send("rollback", [], false)),
      });
      await beginResponse;
      // COMMIT in a failed transaction rolls back without an error. `select 1` before it reports the failure (25P02).
      return { result, commit: this.#send("select 1; commit", [], true) };
    } catch (error) {
      // If the rollback also fails, the thread and its transaction have already ended, and the first error is the cause.
      await this.#send("rollback", [], false).catch(() => undefined);
      throw error;
    }
  }

  async #send<T>(sql: string, parameters: unknown[], standalone: boolean): Promise<PGliteQueryResults<T>> {
    const response = await this.#thread.send(sql, parameters, standalone);
    return { ...response, rows: response.rows as T[], fields: [] };
  }
}
