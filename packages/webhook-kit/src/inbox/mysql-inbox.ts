import { ConfigurationError } from "../errors/errors.ts";
import { rejectUnknownOptions } from "../errors/option-names.ts";
import { type Inbox, type InboxOptions, inboxOptionNames, openInbox } from "./inbox.ts";
import { hasMethods, type InboxDatabase, isInboxDatabase, type Query, queryAll } from "./inbox-database.ts";
import { mysqlDialect } from "./mysql-dialect.ts";

/**
 * An inbox in MySQL 8 or MariaDB 10.6, or newer. Pass a `mysql2/promise` pool, or your own `InboxDatabase`. Create its table in your own
 * migration, with `inboxMigration()`. Your tables must use InnoDB too.
 *
 * When a statement in `work` fails, only that statement is rolled back; a deadlock rolls back the whole transaction. If `work` catches
 * the error of a deadlock, `once` rejects.
 *
 * @throws {ConfigurationError} `invalid_option` for an invalid database or option
 *
 * @example
 * ```ts
 * import type { WebhookEvent } from "@offers/webhook-kit";
 * import { mysqlInbox } from "@offers/webhook-kit/mysql";
 * import { createPool } from "mysql2/promise";
 *
 * const inbox = mysqlInbox(createPool("mysql://127.0.0.1:3306/planning"));
 *
 * export async function handle(event: WebhookEvent): Promise<void> {
 *   if (event.type !== "WorkerAddedContact") return;
 *   const { workerId } = event.data;
 *   await inbox.once(event, (tx) => tx.execute("INSERT INTO contacts (worker_id) VALUES (?)", [workerId]));
 * }
 * ```
 */
export function mysqlInbox<Tx>(database: MysqlHandle<Tx>, options: InboxOptions = {}): Inbox<Tx> {
  rejectUnknownOptions("mysqlInbox", options, inboxOptionNames);
  return openInbox(openDatabase(database), mysqlDialect(options.table), options);
}

/** @inline */
type MysqlHandle<Tx> = MysqlPool<Tx> | InboxDatabase<Tx>;

function openDatabase<Tx>(handle: MysqlHandle<Tx>): InboxDatabase<Tx> {
  if (isInboxDatabase(handle)) return handle as InboxDatabase<Tx>;
  // A `mysql2` pool without promises has a `promise` method.
  if (hasMethods(handle, ["getConnection", "query", "execute"]) && !hasMethods(handle, ["promise"]))
    return poolDatabase(handle as MysqlPool<Tx>);
  throw new ConfigurationError(
    "invalid_option",
    "mysqlInbox takes a mysql2/promise pool or an InboxDatabase, not a connection.",
  );
}

/**
 * The methods of a `mysql2/promise` pool.
 *
 * @inline
 */
interface MysqlPool<Tx> {
  getConnection(): Promise<Tx>;
  query(sql: string): Promise<[unknown, unknown]>;
  execute(sql: string, values: never): Promise<[unknown, unknown]>;
}

interface Executor {
  query(sql: string): Promise<[unknown, unknown]>;
  execute(sql: string, values: unknown[]): Promise<[unknown, unknown]>;
}

interface PoolConnection extends Executor {
  release(): void;
  destroy(): void;
}

const poolDatabase = <Tx>(pool: MysqlPool<Tx>): InboxDatabase<Tx> => ({
  query: createQuery(pool as Executor),
  async transact(firstStatements, work) {
    const tx = await pool.getConnection();
    const connection = tx as PoolConnection;
    const query = createQuery(connection);
    let isBroken = false;
    try {
      const rows = await queryAll(query, ["START TRANSACTION", ...firstStatements]);
      await query("SAVEPOINT offers_inbox");
      const result = await work(tx, rows, query);
      // Fails if `work` caught the error of a deadlock. Otherwise COMMIT would succeed, although MySQL has rolled everything back.
      await query("RELEASE SAVEPOINT offers_inbox");
      await query("COMMIT");
      return result;
    } catch (error) {
      await query("ROLLBACK").catch(() => {
        isBroken = true;
      });
      throw error;
    } finally {
      if (isBroken) connection.destroy();
      else connection.release();
    }
  },
});

const createQuery =
  (executor: Executor): Query =>
  async (sql, values = []) => {
    const parameters: unknown[] = [];
    const positionalSql = sql.replace(/\$(\d)/g, (_, number) => {
      parameters.push(values[Number(number) - 1]);
      return "?";
    });
    // Prepare the statement, because escaping depends on the server's `sql_mode`. Do not prepare a statement without parameters, because
    // its SQL differs from event to event, and a connection caches every prepared statement.
    const [result] =
      parameters.length > 0 ? await executor.execute(positionalSql, parameters) : await executor.query(sql);
    if (Array.isArray(result)) return result;
    // A statement without a result returns one empty row for each row that it changed.
    return Array.from({ length: (result as { affectedRows: number }).affectedRows }, () => ({}));
  };
