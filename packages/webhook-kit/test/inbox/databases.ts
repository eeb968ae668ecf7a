import { DatabaseSync } from "node:sqlite";
import { PrismaPg } from "@prisma/adapter-pg";
import SqliteDatabase from "better-sqlite3";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import { drizzle as drizzlePostgresJs } from "drizzle-orm/postgres-js";
import { Kysely, PGliteDialect, PostgresDialect } from "kysely";
import { createPool } from "mysql2/promise";
import postgres from "postgres";
import { afterAll } from "vitest";
import { findPostgres } from "../../../../tools/test-database.ts";
import { mysqlInbox, inboxMigration as mysqlMigration } from "../../src/mysql.ts";
import { type Inbox, inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { sqliteInbox, inboxMigration as sqliteMigration } from "../../src/sqlite.ts";
import { openPglite } from "../support/open-pglite.ts";
import { createMysqlDatabase, findMysql } from "./mysql-server.ts";
import { databaseOfFile, openPool } from "./postgres-server.ts";
import { PrismaClient } from "./prisma/generated/client.ts";

/** The user's own table. */
interface Tables {
  notes: { text: string };
}

/** An inbox on one kind of database, with the user's own table `notes` beside it. */
export interface InboxUnderTest {
  readonly title: string;
  readonly dialect: Dialect;
  /** Begins a transaction of the inbox, and writes each text as a row of the user. */
  once(
    context: { deduplicationKey?: string | undefined },
    texts: readonly string[],
    options?: OnceOptions,
  ): Promise<{ duplicate: boolean }>;
  readonly inbox: Inbox<unknown>;
  /** Outside of any transaction. The parameter is `$1`. */
  query: QueryUnderTest;
}

type QueryUnderTest = (sql: string, values?: string[]) => Promise<Record<string, unknown>[]>;

interface OnceOptions {
  readonly key?: string;
  /** Runs in the transaction, after the rows. @param write one more row */
  readonly andThen?: (write: (text: string) => Promise<unknown>) => unknown;
}

/** In what the databases differ. */
interface Dialect {
  readonly now: string;
  readonly secondsLeft: string;
  /** Whether a statement that fails ends its transaction, as in PostgreSQL. */
  readonly failsWhole: boolean;
}

const postgresDialect: Dialect = {
  now: "clock_timestamp()",
  secondsLeft: "extract(epoch FROM expires - clock_timestamp())::double precision",
  failsWhole: true,
};
const sqliteNow = "CAST(unixepoch('subsec') * 1000 AS integer)";
const sqliteDialect: Dialect = {
  now: sqliteNow,
  secondsLeft: `(expires - ${sqliteNow}) / 1000.0`,
  failsWhole: false,
};
const mysqlDialect: Dialect = {
  now: "UTC_TIMESTAMP(3)",
  secondsLeft: "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), expires) / 1000000",
  failsWhole: false,
};

const notesTable = "CREATE TABLE notes (text varchar(255) NOT NULL)";
const insert = "INSERT INTO notes (text) VALUES ($1)";
const insertPositional = "INSERT INTO notes (text) VALUES (?)";

const open =
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

type Options = Parameters<typeof postgresInbox>[1];

async function onPglite(options: Options): Promise<InboxUnderTest[]> {
  const pglite = await openPglite();
  await pglite.exec(`${inboxMigration()} ${notesTable}`);
  const kysely = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
  afterAll(() => kysely.destroy());
  const underTest = open(
    postgresDialect,
    async (text, values) => (await pglite.query<Record<string, unknown>>(text, values)).rows,
  );
  return [
    underTest("PGlite", postgresInbox(pglite, options), (tx, text) => tx.query(insert, [text])),
    underTest("Kysely on PGlite", postgresInbox(kysely, options), (tx, text) =>
      tx.insertInto("notes").values({ text }).execute(),
    ),
    underTest("Drizzle on PGlite", postgresInbox(drizzlePglite(pglite), options), (tx, text) =>
      tx.execute(sql`INSERT INTO notes (text) VALUES (${text})`),
    ),
  ];
}

async function onPostgres(options: Options): Promise<InboxUnderTest[]> {
  if (!(await findPostgres())) return [];
  const url = await databaseOfFile();
  const pool = openPool(url);
  await pool.query(`${inboxMigration()} ${notesTable}`);
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const postgresJs = postgres(url);
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  afterAll(() => Promise.all([postgresJs.end(), prisma.$disconnect()]));
  const underTest = open(
    postgresDialect,
    async (text, values) => (await pool.query<Record<string, unknown>>(text, values)).rows,
  );
  return [
    underTest("pg.Pool", postgresInbox(pool, options), (tx, text) => tx.query(insert, [text])),
    underTest("Kysely on pg.Pool", postgresInbox(kysely, options), (tx, text) =>
      tx.insertInto("notes").values({ text }).execute(),
    ),
    underTest("Drizzle on pg.Pool", postgresInbox(drizzle(pool), options), (tx, text) =>
      tx.execute(sql`INSERT INTO notes (text) VALUES (${text})`),
    ),
    underTest("Drizzle on postgres-js", postgresInbox(drizzlePostgresJs(postgresJs), options), (tx, text) =>
      tx.execute(sql`INSERT INTO notes (text) VALUES (${text})`),
    ),
    underTest("Prisma on PostgreSQL", postgresInbox(prisma, options), (tx, text) =>
      // Prisma itself checks what it is given, and would send no statement that fails.
      text === null ? tx.$executeRaw`INSERT INTO notes (text) VALUES (NULL)` : tx.note.create({ data: { text } }),
    ),
  ];
}

function onSqlite(options: Options): InboxUnderTest[] {
  const nodeSqlite = new DatabaseSync(":memory:");
  nodeSqlite.exec(`${sqliteMigration()} ${notesTable}`);
  const betterSqlite = new SqliteDatabase(":memory:");
  betterSqlite.exec(`${sqliteMigration()} ${notesTable}`);
  afterAll(() => {
    nodeSqlite.close();
    betterSqlite.close();
  });
  const onNode = open(sqliteDialect, async (text, values = []) => nodeSqlite.prepare(text).all(named(values)));
  const onBetter = open(sqliteDialect, async (text, values = []) => {
    const statement = betterSqlite.prepare<unknown[], Record<string, unknown>>(text);
    if (statement.reader) return statement.all(named(values));
    statement.run(named(values));
    return [];
  });
  return [
    onNode("node:sqlite", sqliteInbox(nodeSqlite, options), async (tx, text) => tx.prepare(insertPositional).run(text)),
    onBetter("better-sqlite3", sqliteInbox(betterSqlite, options), async (tx, text) =>
      tx.prepare(insertPositional).run(text),
    ),
  ];
}

const named = (values: readonly string[]) => Object.fromEntries(values.map((value, index) => [index + 1, value]));

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

/**
 * One handle on each database that is there: PostgreSQL and MySQL may be missing. In the full matrix (`npm test -- --full`), every
 * handle that an inbox takes.
 */
export async function inboxesUnderTest(options: Options = {}): Promise<InboxUnderTest[]> {
  const [embedded, server, mysql] = [await onPglite(options), await onPostgres(options), await onMysql(options)];
  const most = process.env.TEST_MATRIX === "full" ? Number.POSITIVE_INFINITY : 1;
  return [embedded, server, onSqlite(options), mysql].flatMap((handles) => handles.slice(0, most));
}
