import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect, PostgresDialect } from "kysely";
import { afterAll } from "vitest";
import { findPostgres } from "../../../../tools/test-database.ts";
import { type Inbox, inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { databaseOfFile, openPool } from "./postgres-server.ts";

/** The user's own table. */
interface Tables {
  notes: { text: string };
}

/** An inbox on one kind of database, with the user's own table `notes` beside it. */
export interface InboxUnderTest {
  readonly title: string;
  /** Begins a transaction of the inbox, and writes each text as a row of the user. */
  once(
    context: { deduplicationKey?: string | undefined },
    texts: readonly string[],
    options?: OnceOptions,
  ): Promise<{ duplicate: boolean }>;
  readonly inbox: Inbox<unknown>;
  /** Outside of any transaction. */
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

interface OnceOptions {
  readonly key?: string;
  /** Runs in the transaction, after the rows. @param write one more row */
  readonly andThen?: (write: (text: string) => Promise<unknown>) => unknown;
}

const migration = `${inboxMigration()} CREATE TABLE notes (text text NOT NULL);`;
const insert = "INSERT INTO notes (text) VALUES ($1)";

function underTest<Tx>(
  title: string,
  inbox: Inbox<Tx>,
  write: (tx: Tx, text: string) => Promise<unknown>,
  query: InboxUnderTest["query"],
): InboxUnderTest {
  return {
    title,
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
  };
}

/** Every handle that an inbox takes, on PGlite and, where there is one, on PostgreSQL. */
export async function inboxesUnderTest(options: Parameters<typeof postgresInbox>[1] = {}): Promise<InboxUnderTest[]> {
  const pglite = new PGlite();
  await pglite.exec(migration);
  const overPglite = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
  afterAll(() => overPglite.destroy());
  const query: InboxUnderTest["query"] = async (sql, values) =>
    (await pglite.query<Record<string, unknown>>(sql, values)).rows;
  const onPglite = [
    underTest("PGlite", postgresInbox(pglite, options), (tx, text) => tx.query(insert, [text]), query),
    underTest(
      "Kysely on PGlite",
      postgresInbox(overPglite, options),
      (tx, text) => tx.insertInto("notes").values({ text }).execute(),
      query,
    ),
  ];
  if (!(await findPostgres())) return onPglite;

  const pool = openPool(await databaseOfFile());
  await pool.query(migration);
  const overPool = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const queryPool: InboxUnderTest["query"] = async (sql, values) =>
    (await pool.query<Record<string, unknown>>(sql, values)).rows;
  return [
    ...onPglite,
    underTest("pg.Pool", postgresInbox(pool, options), (tx, text) => tx.query(insert, [text]), queryPool),
    underTest(
      "Kysely on pg.Pool",
      postgresInbox(overPool, options),
      (tx, text) => tx.insertInto("notes").values({ text }).execute(),
      queryPool,
    ),
  ];
}
