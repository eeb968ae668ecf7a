import { DatabaseSync } from "node:sqlite";
import { createPool } from "mysql2/promise";
import { afterAll } from "vitest";
import { findPostgres } from "../../../../scripts/test-database.ts";
import { mysqlInbox, inboxMigration as mysqlMigration } from "../../src/mysql.ts";
import { type Inbox, inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { sqliteInbox, inboxMigration as sqliteMigration } from "../../src/sqlite.ts";
import { openPglite } from "../support/open-pglite.ts";
import { createMysqlDatabase, findMysql } from "./mysql-server.ts";
import { databaseOfFile, openPool } from "./postgres-server.ts";

/** An inbox on one type of database, with the user's own table `notes`. */
export interface InboxUnderTest {
  readonly title: string;
  readonly dialect: Dialect;
  /** Starts one of the inbox's transactions, and writes each string as a user's row. */
  once(
    context: { deduplicationKey?: string | undefined },
    texts: readonly string[],
    options?: OnceOptions,
  ): Promise<{ duplicate: boolean }>;
  readonly inbox: Inbox<unknown>;
  /** Runs a query outside any transaction. The parameter is `$1`. */
  query: QueryUnderTest;
}

type QueryUnderTest = (sql: string, values?: string[]) => Promise<Record<string, unknown>[]>;

interface OnceOptions {
  readonly key?: string;
  /** Runs in the transaction, after the rows. @param write one more row */
  readonly andThen?: (write: (text: string) => Promise<unknown>) => unknown;
}

/** How the databases differ. */
interface Dialect {
  readonly now: string;
  readonly secondsLeft: string;
  /** Whether a failed statement aborts its transaction, as in PostgreSQL. */
  readonly failsWhole: boolean;
}

export const postgresDialect: Dialect = {
  now: "clock_timestamp()",
  secondsLeft: "extract(epoch FROM expires - clock_timestamp())::double precision",
  failsWhole: true,
};
const sqliteNow = "CAST(unixepoch('subsec') * 1000 AS integer)";
export const sqliteDialect: Dialect = {
  now: sqliteNow,
  secondsLeft: `(expires - ${sqliteNow}) / 1000.0`,
  failsWhole: false,
};
const mysqlDialect: Dialect = {
  now: "UTC_TIMESTAMP(3)",
  secondsLeft: "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), expires) / 1000000",
  failsWhole: false,
};

export const notesTable = "CREATE TABLE notes (text varchar(255) NOT NULL)";
const insert = "INSERT INTO notes (text) VALUES ($1)";
export const insertPositional = "INSERT INTO notes (text) VALUES (?)";

export const open =
  (dialect: Dialect, query: QueryUnderTest) =>
  <Tx>(title: string, inbox: Inbox<Tx>, write: (tx: Tx, text: string) => Promise<unknown>): InboxUnderTest => ({
    title,
    dialect,
    inbox: inbox as Inbox<unknown>,
    query,
    once: (context, texts, { andThen, ...options } = {}) =>
      inbox.once(
        context,
        async (tx) => {
          for (const text of texts) await write(tx, text);
          await andThen?.((text) => write(tx, text));
        },
        options,
      ),
  });

export type Options = Parameters<typeof postgresInbox>[1];

async function onPglite(options: Options): Promise<InboxUnderTest> {
  const pglite = await openPglite();
  await pglite.exec(`${inboxMigration()} ${notesTable}`);
  afterAll(() => pglite.close());
  const underTest = open(
    postgresDialect,
    async (text, values) => (await pglite.query<Record<string, unknown>>(text, values)).rows,
  );
  return underTest("PGlite", postgresInbox(pglite, options), (tx, text) => tx.query(insert, [text]));
}

async function onPostgres(options: Options): Promise<InboxUnderTest[]> {
  if (!(await findPostgres())) return [];
  const pool = openPool(await databaseOfFile());
  await pool.query(`${inboxMigration()} ${notesTable}`);
  const underTest = open(
    postgresDialect,
    async (text, values) => (await pool.query<Record<string, unknown>>(text, values)).rows,
  );
  return [underTest("pg.Pool", postgresInbox(pool, options), (tx, text) => tx.query(insert, [text]))];
}

export function onSqlite(options: Options): InboxUnderTest {
  const database = new DatabaseSync(":memory:");
  database.exec(`${sqliteMigration()} ${notesTable}`);
  afterAll(() => database.close());
  const underTest = open(sqliteDialect, async (text, values = []) => database.prepare(text).all(named(values)));
  return underTest("node:sqlite", sqliteInbox(database, options), async (tx, text) =>
    tx.prepare(insertPositional).run(text),
  );
}

export const named = (values: readonly string[]) =>
  Object.fromEntries(values.map((value, index) => [index + 1, value]));

async function onMysql(options: Options): Promise<InboxUnderTest[]> {
  if (!(await findMysql())) return [];
  const { url, drop } = await createMysqlDatabase();
  const pool = createPool(url);
  afterAll(async () => {
    await pool.end();
    await drop();
  });
  await pool.query(mysqlMigration());
  await pool.query(notesTable);
  const underTest = open(mysqlDialect, async (text, values) => {
    const [rows] = await pool.query(text.replaceAll("$1", "?"), values);
    return rows as Record<string, unknown>[];
  });
  return [underTest("mysql2", mysqlInbox(pool, options), (tx, text) => tx.execute(insertPositional, [text]))];
}

/** Returns one driver for each available database: PostgreSQL and MySQL may be missing. */
export const driversUnderTest = async (options: Options): Promise<InboxUnderTest[]> => [
  await onPglite(options),
  ...(await onPostgres(options)),
  onSqlite(options),
  ...(await onMysql(options)),
];
