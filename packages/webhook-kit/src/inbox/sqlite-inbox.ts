import { setTimeout as pause } from "node:timers/promises";
import { isError } from "@offers/contract/foreign-objects";
import { ConfigurationError } from "../errors/errors.ts";
import { rejectUnknownOptions } from "../errors/option-names.ts";
import { type Inbox, type InboxOptions, inboxOptionNames, openInbox } from "./inbox.ts";
import { hasMethods, type InboxDatabase, isInboxDatabase, type Query, queryAll, type Row } from "./inbox-database.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";

/**
 * An inbox in SQLite 3.35 or newer. Pass a `DatabaseSync` from `node:sqlite`, a `Database` from `better-sqlite3`, or your own
 * `InboxDatabase`. Create its table in your own migration, with `inboxMigration()`.
 *
 * The transaction covers the whole connection: while `work` awaits, a statement elsewhere on the same connection becomes part of it. So
 * await only calls to `tx`, or use a separate connection for the inbox. Transactions on one connection wait for each other, and up to 5
 * seconds for another process that is writing (`SQLITE_BUSY`).
 *
 * @throws {ConfigurationError} `invalid_option` for an invalid database or option
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import type { WebhookEvent } from "@offers/webhook-kit";
 * import { sqliteInbox } from "@offers/webhook-kit/sqlite";
 *
 * const inbox = sqliteInbox(new DatabaseSync("planning.db"));
 *
 * export async function handle(event: WebhookEvent): Promise<void> {
 *   if (event.type !== "WorkerAddedContact") return;
 *   const { workerId } = event.data;
 *   await inbox.once(event, async (tx) => tx.prepare("INSERT INTO contacts (worker_id) VALUES (?)").run(workerId));
 * }
 * ```
 *
 * @example better-sqlite3
 * ```ts
 * import { sqliteInbox } from "@offers/webhook-kit/sqlite";
 * import Database from "better-sqlite3";
 *
 * export const inbox = sqliteInbox(new Database("planning.db"));
 * ```
 */
export function sqliteInbox<Connection extends SqliteConnection>(
  database: Connection,
  options?: InboxOptions,
): Inbox<Connection>;
export function sqliteInbox<Tx>(database: InboxDatabase<Tx>, options?: InboxOptions): Inbox<Tx>;
export function sqliteInbox(
  database: SqliteConnection | InboxDatabase<unknown>,
  options: InboxOptions = {},
): Inbox<unknown> {
  rejectUnknownOptions("sqliteInbox", options, inboxOptionNames);
  return openInbox(openDatabase(database), sqliteDialect(options.table), options);
}

function openDatabase(handle: SqliteConnection | InboxDatabase<unknown>): InboxDatabase<unknown> {
  if (isInboxDatabase(handle)) return handle as InboxDatabase<unknown>;
  if (hasMethods(handle, ["prepare", "exec"])) return sqliteDatabase(handle as SqliteConnection);
  throw new ConfigurationError(
    "invalid_option",
    "sqliteInbox takes a DatabaseSync from node:sqlite, a Database from better-sqlite3, or an InboxDatabase.",
  );
}

/**
 * The methods of `DatabaseSync` and better-sqlite3's `Database`.
 *
 * @inline
 */
interface SqliteConnection {
  /** Runs a statement. */
  exec(sql: string): unknown;
  /** Compiles a statement. */
  prepare(sql: string): object;
}

interface Statement {
  /** better-sqlite3 rejects `all` for a statement without a result. */
  readonly reader?: boolean;
  all(values: object): unknown[];
  run(values: object): unknown;
}

function sqliteDatabase<Tx extends SqliteConnection>(connection: Tx): InboxDatabase<Tx> {
  const send: Query = async (sql, values = []) => {
    const statement = connection.prepare(sql) as Statement;
    // `$1` is a named parameter in SQLite, and both libraries expect its name without the dollar sign.
    const namedValues = Object.fromEntries(values.map((value, index) => [index + 1, value]));
    if (statement.reader !== false) return statement.all(namedValues) as Row[];
    statement.run(namedValues);
    return [];
  };
  return {
    query: (sql, values) => runInTurn(connection, () => retryWhileBusy(() => send(sql, values))),
    transact: (firstStatements, work) =>
      runInTurn(connection, async () => {
        // Without IMMEDIATE, the first write fails if another process has written since the transaction began.
        await retryWhileBusy(async () => connection.exec("BEGIN IMMEDIATE"));
        try {
          const rows = await queryAll(send, firstStatements);
          connection.exec("SAVEPOINT offers_inbox");
          const result = await work(connection, rows, send);
          // Fails if SQLite has rolled the transaction back, for instance because the disk is full.
          connection.exec("RELEASE offers_inbox");
          connection.exec("COMMIT");
          return result;
        } catch (error) {
          rollBack(connection);
          throw error;
        }
      }),
  };
}

/** The last call on each connection. All inboxes share it, so that two inboxes on the same connection take turns. */
const lastTurns = new WeakMap<object, Promise<unknown>>();

/** Calls `run` when the earlier calls on this connection have succeeded or failed. */
function runInTurn<T>(connection: object, run: () => Promise<T>): Promise<T> {
  const result = (lastTurns.get(connection) ?? Promise.resolve()).then(run, run);
  lastTurns.set(connection, result);
  result.catch(() => undefined);
  return result;
}

/** How long to retry while the database is locked. better-sqlite3 also waits this long by default; node:sqlite does not wait. */
const busyTimeoutMs = 5_000;

/** Retries while another process is writing (SQLITE_BUSY). Waiting within SQLite would block this process. */
async function retryWhileBusy<T>(send: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const isBusy = /database (?:table )?is locked/.test(isError(error) ? error.message : "");
      if (!isBusy || performance.now() > deadline) throw error;
      await pause(5);
    }
  }
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // SQLite has already rolled the transaction back.
  }
}
