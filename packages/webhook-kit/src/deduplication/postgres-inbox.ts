import { randomUUID } from "node:crypto";
import { ConfigurationError, UnavailableError } from "../errors/errors.ts";
import { refuseUnknownOptions } from "../errors/option-names.ts";
import { inboxKeepMs } from "../generated/decisions.ts";
import { withTimeout } from "../http/timeouts.ts";
import { sha256 } from "../signature/sha256.ts";
import type { AcquireResult, Deduplication } from "./deduplication.ts";
import { openDatabase, type PostgresHandle } from "./inbox-database.ts";
import { inboxStatements, quoteTable } from "./inbox-table.ts";

/**
 * An inbox: the records of handled events, in the database of your own rows. As plain `deduplication` it records
 * acknowledged requests, like any other store; `once` records an event and your rows together.
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
   * Handles an event once (D-100): commits its record and what `work` writes through `tx` in one transaction. For a duplicate, `work`
   * is not called. A concurrent duplicate waits for the commit; after a crash the next attempt does not wait, because
   * PostgreSQL rolls the transaction back when its connection closes.
   *
   * Only what goes through `tx` is written once. Code after `once` runs again on every retry. A handler that times out while
   * `once` runs is not stopped: if it commits, the retry is a duplicate. Call it once for each event: two transactions are not atomic.
   * If it rejects, nothing is committed, unless the connection was lost during the commit; it may be called again.
   *
   * @param context the handler's context, or a `WebhookEvent` in a worker
   * @param work gets your own type of transaction; never use the pool or database itself in it, which may wait for itself
   * @param options.key what identifies the event, and the tenant if you have several; needed under a scheme that signs no id, such
   *   as `timestampDigest()`. It replaces the signed id
   * @throws {ConfigurationError} (rejects) `inbox_key_required`; `inbox_used_twice` for a second call with the same context
   * @throws {UnavailableError} (rejects) `inbox_table_missing`
   * @throws (rejects) whatever `work` or your database throws, unchanged
   */
  once(
    context: { readonly deduplicationKey?: string | undefined },
    work: (tx: Tx) => Promise<unknown>,
    options?: { key?: string },
  ): Promise<{ readonly duplicate: boolean }>;
  /**
   * Deletes expired records, in batches: call it every hour or so. Several processes may call it at once.
   *
   * @param options.batchSize how many rows one statement deletes (default 1,000)
   * @returns how many were deleted
   */
  deleteExpired(options?: { batchSize?: number }): Promise<number>;
}

/**
 * An inbox in PostgreSQL 13 or newer: a `Pool` of npm `pg`, a PGlite, or a Kysely on either. Its table is created by your own
 * migration, from `inboxMigration()`.
 *
 * @param options.table the table's name, also with its schema (default `offers_inbox`)
 * @param options.keepMs how long a record of `once` is kept; longer than the service retries (default 72 hours; D-100)
 * @param options.timeoutMs how long `acquire`, `complete` and `release` may take, 1 to 60,000 (default 2,000; D-64)
 * @throws {ConfigurationError} `invalid_option` for an invalid database or option
 *
 * @example
 * ```ts
 * import { standardWebhooks } from "@offers/webhook-kit";
 * import { webhookRouter } from "@offers/webhook-kit/express";
 * import { postgresInbox } from "@offers/webhook-kit/postgres";
 * import { Pool } from "pg";
 *
 * const inbox = postgresInbox(new Pool({ connectionString: "postgres://127.0.0.1:5432/planning" }));
 *
 * webhookRouter({
 *   secret: process.env.WEBHOOK_SECRET ?? "",
 *   scheme: standardWebhooks(),
 *   async onWorkerOfferResponse({ offerId, workerId, response }, context) {
 *     await inbox.once(context, (tx) =>
 *       tx.query("INSERT INTO responses (offer_id, worker_id, response) VALUES ($1, $2, $3)", [offerId, workerId, response]),
 *     );
 *   },
 * });
 * ```
 *
 * @example Kysely, in a worker
 * ```ts
 * import type { WebhookEvent } from "@offers/webhook-kit";
 * import { postgresInbox } from "@offers/webhook-kit/postgres";
 * import type { Kysely } from "kysely";
 *
 * declare const db: Kysely<{ contacts: { worker_id: string } }>;
 * const inbox = postgresInbox(db);
 *
 * export async function handle(event: WebhookEvent): Promise<void> {
 *   if (event.type !== "WorkerAddedContact") return;
 *   const row = { worker_id: event.data.workerId };
 *   await inbox.once(event, (tx) => tx.insertInto("contacts").values(row).execute());
 * }
 * ```
 */
export function postgresInbox<Tx>(
  database: PostgresHandle<Tx>,
  options: { table?: string; keepMs?: number; timeoutMs?: number } = {},
): Inbox<Tx> {
  refuseUnknownOptions("postgresInbox", options, ["table", "keepMs", "timeoutMs"]);
  const { table, keepMs = inboxKeepMs, timeoutMs = 2_000 } = options;
  const { query: send, recordAndWork } = openDatabase(database);
  const { table: quoted } = quoteTable(table);
  const statements = inboxStatements(quoted);
  checkWholeNumber("keepMs", keepMs, 10 * 365 * 86_400_000);
  checkWholeNumber("timeoutMs", timeoutMs, 60_000);

  const inTime = <T>(result: Promise<T>): Promise<T> =>
    withTimeout(result, timeoutMs, () => new Error(`PostgreSQL has not responded within ${timeoutMs} ms.`), {
      unref: true,
    });

  const query: typeof send = (sql, values) =>
    send(sql, values).catch((cause) => {
      throw explain(cause, quoted);
    });

  async function acquire(key: string, leaseMs: number, subject: string | undefined, token: string) {
    const acquired = await query(statements.acquire, [key, subject, token, leaseMs]);
    if (acquired.length > 0) return { state: "acquired", token } as const;
    const [held] = await query(statements.find, [key]);
    if (typeof held?.status === "number") return { state: "completed", status: held.status } as const;
    // Without a row, the lease was released a moment ago.
    return { state: "inProgress", retryAfterMs: Math.max(1, Number(held?.remaining ?? 1)) } as const;
  }

  return {
    async acquire(key, { leaseMs, subject }): Promise<AcquireResult> {
      const token = randomUUID();
      const result = acquire(key, leaseMs, subject, token);
      try {
        return await inTime(result);
      } catch (cause) {
        // The lease may be acquired after the timeout; release it instead of waiting for it to expire.
        const release = () => query(statements.release, [key, token]);
        result.then(release, release).catch(() => undefined);
        throw cause;
      }
    },
    async complete(key, token, status, keepMs) {
      await inTime(query(statements.complete, [key, token, status, keepMs]));
    },
    async release(key, token) {
      await inTime(query(statements.release, [key, token]));
    },
    async once(context, work, options = {}) {
      refuseUnknownOptions("inbox.once", options, ["key"]);
      const recordKey = recordKeyOf(context, options.key);
      if (used.has(context)) throw usedTwice();
      used.add(context);
      let isWorking = false;
      const doWork = (tx: Tx) => {
        isWorking = true;
        return work(tx);
      };
      try {
        return { duplicate: !(await recordAndWork(statements.record(recordKey, keepMs), doWork)) };
      } catch (error) {
        used.delete(context);
        throw isWorking ? error : explain(error, quoted);
      }
    },
    async deleteExpired(options = {}) {
      refuseUnknownOptions("inbox.deleteExpired", options, ["batchSize"]);
      const { batchSize = 1_000 } = options;
      checkWholeNumber("batchSize", batchSize, 100_000);
      for (let total = 0; ; ) {
        const [row] = await query(statements.deleteExpired, [batchSize]);
        const deleted = Number(row?.deleted);
        total += deleted;
        if (deleted < batchSize) return total;
      }
    },
  };
}

/** PostgreSQL's `undefined_table` is a step of the installation that is still to be done; any other error is the database's own. */
function explain(cause: unknown, table: string): unknown {
  if (typeof cause !== "object" || cause === null || Reflect.get(cause, "code") !== "42P01") return cause;
  const migration = table === '"offers_inbox"' ? "inboxMigration()" : "inboxMigration({ table })";
  return new UnavailableError(
    "inbox_table_missing",
    `The table ${table} of postgresInbox does not exist. ${migration} returns the SQL that creates it: run it with your own migrations.`,
    { cause },
  );
}

/** The contexts of the calls of `once` that run or have succeeded, of all inboxes. */
const used = new WeakSet<object>();

/** A hash, so that a record holds nothing of the event, and no key of `once` is a key of `acquire`. */
function recordKeyOf({ deduplicationKey }: { readonly deduplicationKey?: string | undefined }, key: unknown): string {
  if (key !== undefined && (typeof key !== "string" || key === ""))
    throw new ConfigurationError("inbox_key_required", "The key of inbox.once must be a text that is not empty.");
  if (typeof key === "string") return sha256(JSON.stringify(["once", "key", key]));
  if (deduplicationKey !== undefined) return sha256(JSON.stringify(["once", "id", deduplicationKey]));
  throw new ConfigurationError(
    "inbox_key_required",
    "The scheme signs no id, so inbox.once cannot know a retry from a new event. Pass { key }, or write with an upsert.",
  );
}

const usedTwice = (): ConfigurationError =>
  new ConfigurationError(
    "inbox_used_twice",
    "inbox.once was called twice for one event. Write everything in one call: two transactions are not atomic.",
  );

function checkWholeNumber(name: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new ConfigurationError("invalid_option", `${name} must be a whole number from 1 to ${most}.`);
}
