import { DatabaseSync } from "node:sqlite";
import { createPool } from "mysql2/promise";
import { afterAll } from "vitest";
import { isPostgresRunning } from "../../../../scripts/test-database.ts";
import { mysqlInbox, inboxMigration as mysqlMigration } from "../../src/mysql.ts";
import { type Inbox, inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { sqliteInbox, inboxMigration as sqliteMigration } from "../../src/sqlite.ts";
import { openPglite } from "../support/open-pglite.ts";
import { createMysqlDatabase, hasMysql } from "./mysql-server.ts";
import { createDatabaseForFile, openPool } from "./postgres-server.ts";

/** An inbox on one type of database, with the user's own table `notes`. */
export interface InboxUnderTest {
  readonly title: string;
  readonly dialect: Dialect;
  /** Calls `once` of the inbox with work that inserts each text into `notes`. */
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
  /** Runs in the transaction after the inserts. @param write inserts one more row */
  readonly andThen?: (write: (text: string) => Promise<unknown>) => unknown;
}

/** SQL and behaviour that differ between databases. */
interface Dialect {
  readonly now: string;
  readonly secondsLeft: string;
  /** Whether a failed statement aborts its transaction, as in PostgreSQL. */
  readonly abortsOnError: boolean;
}

export const postgresDialect: Dialect = {
  now: "clock_timestamp()",
  secondsLeft: "extract(epoch FROM expires - clock_timestamp())::double precision",
  abortsOnError: true,
};
const sqliteNow = "CAST(unixepoch('subsec') * 1000 AS integer)";
export const sqliteDialect: Dialect = {
  now: sqliteNow,
  secondsLeft: `(expires - ${sqliteNow}) / 1000.0`,
  abortsOnError: false,
};
const mysqlDialect: Dialect = {
  now: "UTC_TIMESTAMP(3)",
  secondsLeft: "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), expires) / 1000000",
  abortsOnError: false,
};

export const notesTable = "CREATE TABLE notes (text varchar(255) NOT NULL)";
const insert = "INSERT INTO notes (text) VALUES ($1)";
export const insertPositional = "INSERT INTO notes (text) VALUES (?)";

/** Returns a function that creates an {@link InboxUnderTest} from an inbox and a function that inserts a row. */
export const createInboxFactory =
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

async function inboxOnPglite(options: Options): Promise<InboxUnderTest> {
  const pglite = await openPglite();
  await pglite.exec(`${inboxMigration()} ${notesTable}`);
  afterAll(() => pglite.close());
  const createInbox = createInboxFactory(
    postgresDialect,
    async (text, values) => (await pglite.query<Record<string, unknown>>(text, values)).rows,
  );
  return createInbox("PGlite", postgresInbox(pglite, options), (tx, text) => tx.query(insert, [text]));
}

async function inboxesOnPostgres(options: Options): Promise<InboxUnderTest[]> {
  if (!(await isPostgresRunning())) return [];
  const pool = openPool(await createDatabaseForFile());
  await pool.query(`${inboxMigration()} ${notesTable}`);
  const createInbox = createInboxFactory(
    postgresDialect,
    async (text, values) => (await pool.query<Record<string, unknown>>(text, values)).rows,
  );
  return [createInbox("pg.Pool", postgresInbox(pool, options), (tx, text) => tx.query(insert, [text]))];
}

export function inboxOnSqlite(options: Options): InboxUnderTest {
  const database = new DatabaseSync(":memory:");
  database.exec(`${sqliteMigration()} ${notesTable}`);
  afterAll(() => database.close());
  const createInbox = createInboxFactory(sqliteDialect, async (text, values = []) =>
    database.prepare(text).all(numberParameters(values)),
  );
  return createInbox("node:sqlite", sqliteInbox(database, options), async (tx, text) =>
    tx.prepare(insertPositional).run(text),
  );
}

/** Names each value by its position, because `$1` is a named parameter in SQLite. */
export const numberParameters = (values: readonly string[]) =>
  Object.fromEntries(values.map((value, index) => [index + 1, value]));

async function inboxesOnMysql(options: Options): Promise<InboxUnderTest[]> {
  if (!(await hasMysql())) return [];
  const { url, drop } = await createMysqlDatabase();
  const pool = createPool(url);
  afterAll(async () => {
    await pool.end();
    await drop();
  });
  await pool.query(mysqlMigration());
  await pool.query(notesTable);
  const createInbox = createInboxFactory(mysqlDialect, async (text, values) => {
    const [rows] = await pool.query(text.replaceAll("$1", "?"), values);
    return rows as Record<string, unknown>[];
  });
  return [createInbox("mysql2", mysqlInbox(pool, options), (tx, text) => tx.execute(insertPositional, [text]))];
}

/** Returns an inbox on each available database. PostgreSQL and MySQL may be unavailable. */
export const driversUnderTest = async (options: Options): Promise<InboxUnderTest[]> => [
  await inboxOnPglite(options),
  ...(await inboxesOnPostgres(options)),
  inboxOnSqlite(options),
  ...(await inboxesOnMysql(options)),
];
