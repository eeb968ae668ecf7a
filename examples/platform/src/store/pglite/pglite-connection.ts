import type { PGlite, PGliteQueryResults, PGliteTransaction } from "kysely";
import type { PgliteThread } from "./pglite-thread.ts";
import type { Lane, PriorityMutex } from "./priority-mutex.ts";

/** Runs requests in the order in which they are sent. */
type RequestQueue = Pick<PgliteThread, "waitReady" | "ready" | "closed" | "send" | "close">;

/** Adapts PGlite's single connection for kysely's `PGliteDialect`. Several instances share the connection and take turns. */
export class PgliteConnection implements PGlite {
  readonly waitReady: Promise<void>;
  readonly #thread: RequestQueue;
  readonly #turns: PriorityMutex;
  readonly #lane: Lane;

  constructor(thread: RequestQueue, turns: PriorityMutex, lane: Lane) {
    this.waitReady = thread.waitReady;
    this.#thread = thread;
    this.#turns = turns;
    this.#lane = lane;
  }

  get ready(): boolean {
    return this.#thread.ready;
  }

  get closed(): boolean {
    return this.#thread.closed;
  }

  async query<T>(sql: string, parameters: unknown[] = []): Promise<PGliteQueryResults<T>> {
    // The thread runs requests in order, so the next request may be sent before this one's response arrives.
    const { sent } = await this.#turns.take(this.#lane, async () => ({ sent: this.#ask<T>(sql, parameters, true) }));
    return sent;
  }

  async transaction<T>(work: (transaction: PGliteTransaction) => Promise<T>): Promise<T> {
    const { result, commit } = await this.#turns.take(this.#lane, () => this.#transact(work));
    await commit;
    return result;
  }

  /** Waits for this lane's earlier requests. */
  close(): Promise<void> {
    return this.#turns.take(this.#lane, () => this.#thread.close());
  }

  /** Runs a transaction. @returns `commit` without waiting for it: the thread runs requests in order, so the next one may be sent */
  async #transact<T>(
    work: (transaction: PGliteTransaction) => Promise<T>,
  ): Promise<{ result: T; commit: Promise<unknown> }> {
    // The thread runs requests in order, so the first statement need not wait for this one.
    const begun = this.#ask("begin", [], true);
    begun.catch(() => undefined);
    try {
      const result = await work({
        query: (sql, parameters = []) => this.#ask(sql, parameters, false),
        rollback: async () => void (await this.#ask("rollback", [], false)),
      });
      await begun;
      // COMMIT in a failed transaction rolls back without an error. `select 1` before it reports the failure (25P02).
      return { result, commit: this.#ask("select 1; commit", [], true) };
    } catch (error) {
      // If the rollback fails too, the thread and its transaction have already ended, and the first error is the cause.
      await this.#ask("rollback", [], false).catch(() => undefined);
      throw error;
    }
  }

  async #ask<T>(sql: string, parameters: unknown[], standalone: boolean): Promise<PGliteQueryResults<T>> {
    const response = await this.#thread.send(sql, parameters, standalone);
    return { ...response, rows: response.rows as T[], fields: [] };
  }
}
