import { randomUUID } from "node:crypto";
import type { AcquireResult, Deduplication } from "../deduplication/deduplication.ts";
import { ConfigurationError, UnavailableError } from "../errors/errors.ts";
import { rejectUnknownOptions } from "../errors/option-names.ts";
import { inboxKeepMs, inboxKeepResponsesMs } from "../generated/decisions.ts";
import { withTimeout } from "../http/timeouts.ts";
import { sha256 } from "../signature/sha256.ts";
import { type InboxDatabase, type Query, queryAll, type Row } from "./inbox-database.ts";
import { defaultTable, type InboxDialect } from "./inbox-dialect.ts";

/**
 * Records handled events in the same database as your own rows. As the `deduplication` option, an inbox records acknowledged requests, like
 * any other store. `once` commits the record of an event together with your rows.
 *
 * @example
 * ```ts
 * import type { Inbox } from "@offers/webhook-kit/postgres";
 * import type { PoolClient } from "pg";
 *
 * export const cleanUp = (inbox: Inbox<PoolClient>) => setInterval(() => inbox.deleteExpired().catch(console.error), 3_600_000);
 * ```
 */
export interface Inbox<Tx> extends Deduplication {
  /**
   * Handles an event once: commits its record and what `work` writes through `tx` in one transaction. For a duplicate, `work` is not
   * called. A concurrent duplicate waits for the commit. After a crash the next attempt does not wait, because the database rolls the
   * transaction back when its connection closes.
   *
   * Only writes through `tx` happen once. Code after `once` runs again on every retry. A handler that times out while `once` is
   * running is not stopped: if it commits, the retry is a duplicate. Call `once` once per event, because two transactions are not atomic.
   * You may call it again if it rejects. Nothing was then committed, unless the connection was lost during the commit.
   *
   * Within `reconcile` and `reconcileOnWebhook`, `work` joins the transaction that read the offer. It needs no key, because the last
   * response shows whether the current one was handled.
   *
   * @param context the handler's context, or a `WebhookEvent` in a worker
   * @param work receives your own library's transaction. Never use the pool or the database itself in it, because it could deadlock
   * @param options.key identifies the event, and the tenant if you have several; replaces the signed id. Needed if the scheme signs no id,
   *   such as `timestampDigest()`
   * @throws {ConfigurationError} (rejects) `inbox_key_required`; `inbox_used_twice` for a second call with the same context
   * @returns `result` is what `work` resolved with; undefined for a duplicate
   * @throws {UnavailableError} (rejects) `inbox_table_missing`; `inbox_unavailable` if the database fails before `work` is called
   * @throws (rejects) what `work` throws, and what the database throws during the commit, unchanged
   */
  once<Result>(
    context: {
      /** Identifies the event. */
      readonly deduplicationKey?: string | undefined;
    },
    work: (tx: Tx) => Promise<Result>,
    options?: {
      /** Identifies the event, in place of the signed id. */
      key?: string | undefined;
    },
  ): Promise<
    | {
        /** False if `work` was called. */
        readonly duplicate: false;
        /** What `work` resolved with. */
        readonly result: Result;
      }
    | {
        /** True if the event was already handled. */
        readonly duplicate: true;
        /** Undefined: `work` was not called. */
        readonly result?: undefined;
      }
  >;
  /** The response that was handled last for each worker and offer, for `reconcile`. */
  readonly lastResponses: ResponseLog;
  /**
   * Deletes expired records in batches. Call it about once an hour; several processes may call it concurrently.
   *
   * @param options.batchSize how many rows each statement deletes (default 1,000)
   * @returns how many rows were deleted
   */
  deleteExpired(options?: {
    /** How many rows each statement deletes. @default 1_000 */
    batchSize?: number | undefined;
  }): Promise<number>;
}

/**
 * Records, for each worker and offer, the response that was handled last. `reconcile` and `reconcileOnWebhook` use it; your code needs it
 * only to look up a response.
 *
 * @example
 * ```ts
 * import type { Inbox } from "@offers/webhook-kit/postgres";
 * import type { PoolClient } from "pg";
 *
 * export const lastOf = async (inbox: Inbox<PoolClient>, offerId: string, workerId: string): Promise<string | undefined> =>
 *   (await inbox.lastResponses.find([{ offerId, workerId }]))[0];
 * ```
 */
export interface ResponseLog {
  /** Returns the responses that were handled last, in the order of `recipients`; undefined for a recipient without one. */
  find(recipients: readonly RegisteredRecipient[]): Promise<readonly (string | undefined)[]>;
  /**
   * Runs one transaction: locks the recipient's entry, calls `handle` with the response that was handled last, and records the response
   * that it resolves with; undefined records nothing. A second call for the same recipient waits until the first ends. What `once` writes
   * with the same context is part of this transaction.
   */
  update(
    recipient: RegisteredRecipient,
    context: object,
    handle: (last: string | undefined) => Promise<string | undefined>,
  ): Promise<void>;
}

/** One worker who was sent one offer. @inline */
export interface RegisteredRecipient {
  /** The organisation's name, if your receiver has several. */
  readonly tenant?: string | undefined;
  /** The offer's id. */
  readonly offerId: string;
  /** The worker's id. */
  readonly workerId: string;
}

/** @inline */
export interface InboxOptions {
  /** The table's name, optionally with its schema. @default "offers_inbox" */
  table?: string | undefined;
  /**
   * How many milliseconds to keep a record from `once`. Must be longer than the service retries. @default 259_200_000, which is 72 hours
   */
  keepMs?: number | undefined;
  /** How many milliseconds to keep a recipient's last response after it was handled or read. @default 34_560_000_000, which is 400 days */
  keepResponsesMs?: number | undefined;
  /** How many milliseconds `acquire`, `complete` and `release` may take, from 1 to 60,000. @default 2_000 */
  timeoutMs?: number | undefined;
}

export const inboxOptionNames = ["table", "keepMs", "keepResponsesMs", "timeoutMs"] as const;

/** Creates an inbox in a database that uses the given dialect. */
export function openInbox<Tx>(database: InboxDatabase<Tx>, dialect: InboxDialect, options: InboxOptions): Inbox<Tx> {
  const { statements } = dialect;
  const explain = (cause: unknown) => explainFailure(cause, dialect, options);
  // The defaults outlast the service's retries (D-100).
  const { keepMs = inboxKeepMs, keepResponsesMs = inboxKeepResponsesMs, timeoutMs = 2_000 } = options;
  checkWholeNumber("keepMs", keepMs, 10 * 365 * 86_400_000);
  checkWholeNumber("keepResponsesMs", keepResponsesMs, 10 * 365 * 86_400_000);
  checkWholeNumber("timeoutMs", timeoutMs, 60_000);

  const withQueryTimeout = <T>(result: Promise<T>): Promise<T> =>
    withTimeout(result, timeoutMs, () => new Error(`${dialect.database} did not respond within ${timeoutMs} ms.`), {
      unref: true,
    });

  const query: Query = (sql, values) =>
    retryOnConflict(dialect, () => database.query(sql, values)).catch((cause) => {
      throw explain(cause);
    });

  /**
   * Runs a transaction. Rethrows what `work` throws, and explains an error from the inbox's own statements. Retries a conflict only before
   * `work` has started, so that `work` runs at most once.
   */
  async function transact<T>(
    firstStatements: readonly string[],
    work: (tx: Tx, rows: readonly Row[], query: Query) => Promise<T>,
  ): Promise<T> {
    let hasWorkStarted = false;
    try {
      return await retryOnConflict({ isConflict: (error) => !hasWorkStarted && dialect.isConflict(error) }, () =>
        database.transact(firstStatements, (...args) => {
          hasWorkStarted = true;
          return work(...args);
        }),
      );
    } catch (error) {
      throw hasWorkStarted ? error : explain(error);
    }
  }

  async function acquire(key: string, leaseMs: number, subject: string | undefined, token: string) {
    const acquired = await queryAll(query, statements.acquire, [key, subject ?? null, token, leaseMs]);
    if (acquired.length > 0) return { state: "acquired", token } as const;
    const [row] = await query(statements.find, [key]);
    // A handle may be configured to return integers as BigInt.
    if (typeof row?.status === "number" || typeof row?.status === "bigint")
      return { state: "completed", status: Number(row.status) } as const;
    // If there is no row, the lease has just been released.
    return { state: "inProgress", retryAfterMs: Math.max(1, Number(row?.remaining ?? 1)) } as const;
  }

  const workIfNew = <Result>(key: string, work: (tx: Tx) => Promise<Result>) =>
    transact(statements.record(key, keepMs), async (tx, rows) =>
      rows.length > 0 ? ({ duplicate: false, result: await work(tx) } as const) : ({ duplicate: true } as const),
    );

  /** The open transactions that `once` joins, by the context of the handler. */
  const transactions = new WeakMap<object, Tx>();

  return {
    async acquire(key, { leaseMs, subject }): Promise<AcquireResult> {
      const token = randomUUID();
      const result = acquire(key, leaseMs, subject, token);
      try {
        return await withQueryTimeout(result);
      } catch (cause) {
        // The lease may be acquired after the timeout, so release it instead of waiting for it to expire. If the release
        // fails, the lease still expires.
        const release = () => query(statements.release, [key, token]);
        result.then(release, release).catch(() => undefined);
        throw cause;
      }
    },
    async complete(key, token, status, keepMs) {
      await withQueryTimeout(query(statements.complete, [key, token, status, keepMs]));
    },
    async release(key, token) {
      await withQueryTimeout(query(statements.release, [key, token]));
    },
    async once(context, work, options = {}) {
      rejectUnknownOptions("inbox.once", options, ["key"]);
      const joinedTransaction = transactions.get(context);
      // A joined transaction needs no key, because the last response shows whether the current one was handled.
      const recordKey = joinedTransaction ? "" : toRecordKey(context, options.key);
      if (usedContexts.has(context)) throw createUsedTwiceError();
      usedContexts.add(context);
      try {
        if (joinedTransaction) return { duplicate: false, result: await work(joinedTransaction) };
        return await workIfNew(recordKey, work);
      } catch (error) {
        usedContexts.delete(context);
        throw error;
      }
    },
    lastResponses: {
      async find(recipients) {
        if (recipients.length === 0) return [];
        const keys = recipients.map(toResponseKey);
        const responses = new Map<unknown, string>();
        // `token` contains the last response. It is null until the first response is recorded.
        for (const { key, token } of await queryAll(query, statements.findResponses(keys, keepResponsesMs)))
          if (typeof token === "string") responses.set(key, token);
        return keys.map((key) => responses.get(key));
      },
      async update(recipient, context, handle) {
        const key = toResponseKey(recipient);
        await transact(statements.lockResponse(key, keepResponsesMs), async (tx, [entry], query) => {
          transactions.set(context, tx);
          try {
            const last = entry?.token;
            const response = await handle(typeof last === "string" ? last : undefined);
            if (response !== undefined) await query(statements.setResponse, [key, response]);
          } finally {
            transactions.delete(context);
          }
        });
      },
    },
    async deleteExpired(options = {}) {
      rejectUnknownOptions("inbox.deleteExpired", options, ["batchSize"]);
      const { batchSize = 1_000 } = options;
      checkWholeNumber("batchSize", batchSize, 100_000);
      let total = 0;
      for (;;) {
        const { length: deletedCount } = await query(statements.deleteExpired(batchSize));
        total += deletedCount;
        if (deletedCount < batchSize) return total;
      }
    },
  };
}

/** Explains why an inbox statement failed: its table has not been created, or the database is down. */
function explainFailure(
  cause: unknown,
  dialect: InboxDialect,
  { table = defaultTable }: InboxOptions,
): UnavailableError {
  if (typeof cause !== "object" || cause === null || !dialect.isTableMissing(cause))
    return new UnavailableError(
      "inbox_unavailable",
      `${dialect.inbox} could not use its ${dialect.database} database and wrote nothing; see this error's cause. Is the database running, and are the host and password correct?`,
      { cause },
    );
  const migration = table === defaultTable ? "inboxMigration()" : "inboxMigration({ table })";
  return new UnavailableError(
    "inbox_table_missing",
    `${dialect.inbox}'s table ${dialect.table} does not exist. Run the SQL that ${migration} returns with your own migrations.`,
    { cause },
  );
}

/** How many times a statement is retried. Before each retry, at least one concurrent statement has ended. */
const maxRetries = 20;

/**
 * Calls `send` again after a conflict, for instance between concurrent attempts at one event. `send` must be a whole transaction or its
 * first statements, which the database has then rolled back (D-137).
 */
async function retryOnConflict<T>(
  { isConflict }: Pick<InboxDialect, "isConflict">,
  send: () => Promise<T>,
): Promise<T> {
  for (let conflictCount = 0; ; conflictCount += 1) {
    try {
      return await send();
    } catch (error) {
      const canRetry = typeof error === "object" && error !== null && isConflict(error);
      if (!canRetry || conflictCount === maxRetries) throw error;
    }
  }
}

/** The contexts of all calls to `once` that are running or have succeeded, in any inbox. */
const usedContexts = new WeakSet<object>();

/** Hashes the key, so that a record contains no event data. The tags prevent collisions between keys for `once` and `acquire`. */
function toRecordKey({ deduplicationKey }: { readonly deduplicationKey?: string | undefined }, key: unknown): string {
  if (key !== undefined && (typeof key !== "string" || key === ""))
    throw new ConfigurationError("inbox_key_required", "inbox.once needs a key that is a non-empty string.");
  if (typeof key === "string") return sha256(JSON.stringify(["once", "key", key]));
  if (deduplicationKey !== undefined) return sha256(JSON.stringify(["once", "id", deduplicationKey]));
  throw new ConfigurationError(
    "inbox_key_required",
    "This signature scheme signs no id, so inbox.once cannot tell a retry from a new event. Pass { key }, use an upsert, or use webhooks only to start catchUp.",
  );
}

const createUsedTwiceError = (): ConfigurationError =>
  new ConfigurationError(
    "inbox_used_twice",
    "inbox.once was called twice for one event. Write everything in one call: two transactions are not atomic.",
  );

const toResponseKey = ({ tenant = "", offerId, workerId }: RegisteredRecipient): string =>
  sha256(JSON.stringify(["response", tenant, offerId, workerId]));

function checkWholeNumber(name: string, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new ConfigurationError("invalid_option", `${name} must be an integer from 1 to ${max}.`);
}
