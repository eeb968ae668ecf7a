import pg from "pg";
import { StoreError } from "./store.ts";

/**
 * Matches the SQLSTATEs of a temporarily unavailable server. The connection is lost (08); resources such as connections are
 * exhausted (53); the server is stopping or starting (57P01 to 57P03); or the server is read-only, such as a standby or an old
 * primary after a failover (25006). 25P03 means that the server has ended an idle transaction.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const lostSqlStates = /^(?:08|53|57P0|25006$|25P03$)/;

/** Matches Node.js error codes for a lost connection or an unreachable server. */
const lostSocketCodes = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_)/;
/** Matches messages of pg errors that have no code. */
const lostMessages =
  /^(?:Connection terminated|timeout (?:exceeded|expired)|Query read timeout|Client (?:has encountered a connection error|was closed))/;

function isDatabaseLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (error instanceof pg.DatabaseError) return lostSqlStates.test(code);
  return lostSocketCodes.test(code) || lostMessages.test(message);
}

/** Returns whether a statement outside a transaction may have changed data even though its response is missing. */
const isWrite = (text: string): boolean => !/^\s*(?:select|show)\b/i.test(text);

/** Tracks the state of a pool client's connection. */
export class Connection {
  #isInTransaction = false;
  #lost: StoreError | undefined;

  /** Whether the pool must discard the connection, even if it is open. A server that becomes read-only does not close connections. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /**
   * Runs a statement.
   *
   * @param text the statement that `send` sends
   * @throws {StoreError} `database_lost` or `commit_uncertain`. All later statements throw the same error, because kysely sends a
   *   ROLLBACK after a failed COMMIT and reports only the ROLLBACK error
   */
  async query<T>(text: string, send: () => Promise<T>): Promise<T> {
    if (this.#lost !== undefined) throw this.#lost;
    if (text === "begin") this.#isInTransaction = true;
    try {
      return await send();
    } catch (error) {
      if (!isDatabaseLost(error)) throw error;
      const isReadOnly = (error as NodeJS.ErrnoException).code === "25006";
      const mayHaveCommitted = !isReadOnly && (this.#isInTransaction ? text === "commit" : isWrite(text));
      this.#lost = mayHaveCommitted
        ? new StoreError("commit_uncertain", "the database connection was lost during a commit", { cause: error })
        : databaseLostError(error);
      throw this.#lost;
    } finally {
      if (text === "commit" || text === "rollback") this.#isInTransaction = false;
    }
  }
}

/** Creates the error for a lost connection, or for a database that cannot be connected to. */
export const databaseLostError = (cause: unknown): StoreError =>
  new StoreError("database_lost", "the database connection was lost, or the database is not ready", { cause });
