import { PrismaPg } from "@prisma/adapter-pg";
import SqliteDatabase from "better-sqlite3";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import { drizzle as drizzlePostgresJs } from "drizzle-orm/postgres-js";
import { Kysely, PGliteDialect, PostgresDialect } from "kysely";
import postgres from "postgres";
import { afterAll } from "vitest";
import { isPostgresRunning } from "../../../../scripts/test-database.ts";
import { inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { sqliteInbox, inboxMigration as sqliteMigration } from "../../src/sqlite.ts";
import { openPglite } from "../support/open-pglite.ts";
import {
  createInboxFactory,
  type InboxUnderTest,
  insertPositional,
  notesTable,
  numberParameters,
  type Options,
  postgresDialect,
  sqliteDialect,
} from "./databases.ts";
import { createDatabaseForFile, openPool } from "./postgres-server.ts";
import { PrismaClient } from "./prisma/generated/client.ts";

/** The user's own table. */
interface Tables {
  notes: { text: string };
}

/** Returns an inbox for each supported library that `driversUnderTest` does not cover, on each available database. */
export const librariesUnderTest = async (options: Options): Promise<InboxUnderTest[]> => [
  ...(await inboxesOnPglite(options)),
  ...(await inboxesOnPostgres(options)),
  inboxOnSqlite(options),
];

async function inboxesOnPglite(options: Options): Promise<InboxUnderTest[]> {
  const pglite = await openPglite();
  await pglite.exec(`${inboxMigration()} ${notesTable}`);
  const kysely = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
  afterAll(() => kysely.destroy());
  const createInbox = createInboxFactory(
    postgresDialect,
    async (text, values) => (await pglite.query<Record<string, unknown>>(text, values)).rows,
  );
  return [
    createInbox("Kysely on PGlite", postgresInbox(kysely, options), (tx, text) =>
      tx.insertInto("notes").values({ text }).execute(),
    ),
    createInbox("Drizzle on PGlite", postgresInbox(drizzlePglite(pglite), options), (tx, text) =>
      tx.execute(sql`INSERT INTO notes (text) VALUES (${text})`),
    ),
  ];
}

async function inboxesOnPostgres(options: Options): Promise<InboxUnderTest[]> {
  if (!(await isPostgresRunning())) return [];
  const url = await createDatabaseForFile();
  const pool = openPool(url);
  await pool.query(`${inboxMigration()} ${notesTable}`);
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const postgresJs = postgres(url);
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  afterAll(() => Promise.all([postgresJs.end(), prisma.$disconnect()]));
  const createInbox = createInboxFactory(
    postgresDialect,
    async (text, values) => (await pool.query<Record<string, unknown>>(text, values)).rows,
  );
  return [
    createInbox("Kysely on pg.Pool", postgresInbox(kysely, options), (tx, text) =>
      tx.insertInto("notes").values({ text }).execute(),
    ),
    createInbox("Drizzle on pg.Pool", postgresInbox(drizzle(pool), options), (tx, text) =>
      tx.execute(sql`INSERT INTO notes (text) VALUES (${text})`),
    ),
    createInbox("Drizzle on postgres-js", postgresInbox(drizzlePostgresJs(postgresJs), options), (tx, text) =>
      tx.execute(sql`INSERT INTO notes (text) VALUES (${text})`),
    ),
    createInbox("Prisma on PostgreSQL", postgresInbox(prisma, options), (tx, text) =>
      // Prisma itself rejects null, so it would not send the failing statement that a test needs.
      text === null ? tx.$executeRaw`INSERT INTO notes (text) VALUES (NULL)` : tx.note.create({ data: { text } }),
    ),
  ];
}

function inboxOnSqlite(options: Options): InboxUnderTest {
  const database = new SqliteDatabase(":memory:");
  database.exec(`${sqliteMigration()} ${notesTable}`);
  afterAll(() => void database.close());
  const createInbox = createInboxFactory(sqliteDialect, async (text, values = []) => {
    const statement = database.prepare<unknown[], Record<string, unknown>>(text);
    if (statement.reader) return statement.all(numberParameters(values));
    statement.run(numberParameters(values));
    return [];
  });
  return createInbox("better-sqlite3", sqliteInbox(database, options), async (tx, text) =>
    tx.prepare(insertPositional).run(text),
  );
}
