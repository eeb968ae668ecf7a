import { Kysely, PGliteDialect } from "kysely";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { openPglite } from "../support/open-pglite.ts";

const invalid = expect.objectContaining({ name: "ConfigurationError", code: "invalid_option" });
const pool = new pg.Pool();
const pglite = await openPglite();
afterAll(() => pglite.close());

describe("the table name", () => {
  test.each([
    "",
    'inbox"; DROP TABLE notes; --',
    "inbox; DROP TABLE notes",
    "a.b.c",
    ".inbox",
    "schema.",
    "Inbox",
    "1inbox",
    "in box",
    "inböx",
    "inbox\n",
    "inbox\u0000",
    "i".repeat(51),
    `${"s".repeat(64)}.inbox`,
    7,
    null,
    ["offers_inbox"],
    { toString: () => "offers_inbox" },
  ])("%j is rejected by the inbox and by the migration", (table) => {
    expect(() => postgresInbox(pool, { table: table as string })).toThrow(invalid);
    expect(() => inboxMigration({ table: table as string })).toThrow(invalid);
  });

  test.each(["inbox", "planning.inbox", "select", "_1", `${"s".repeat(63)}.${"i".repeat(50)}`])(
    "%s is used unchanged, in quotes",
    async (table) => {
      const [schema, name] = table.includes(".") ? table.split(".") : ["public", table];
      await pglite.exec(`CREATE SCHEMA IF NOT EXISTS "${schema}"; ${inboxMigration({ table })}`);
      const inbox = postgresInbox(pglite, { table });
      expect(await inbox.once({}, async () => undefined, { key: "k" })).toEqual({ duplicate: false });
      const { rows } = await pglite.query(`SELECT status FROM "${schema}"."${name}"`);
      expect(rows).toEqual([{ status: 200 }]);
    },
  );
});

test.each([
  ["undefined", undefined],
  ["null", null],
  ["a connection string", "postgres://127.0.0.1"],
  ["an empty object", {}],
  ["a pg.Client", new pg.Client()],
  ["a function", () => undefined],
])("%s is not a database for an inbox", (_, database) =>
  expect(() => postgresInbox(database as never)).toThrow(invalid),
);

test("a transaction is not a database for an inbox, because the inbox does not commit it", async () => {
  const kysely = new Kysely<object>({ dialect: new PGliteDialect({ pglite }) });
  await kysely.transaction().execute(async (tx) => expect(() => postgresInbox(tx as never)).toThrow(invalid));
  await pglite.transaction(async (tx) => expect(() => postgresInbox(tx as never)).toThrow(invalid));
});

test.each([
  { keepMs: 0 },
  { keepMs: -1 },
  { keepMs: Number.NaN },
  { keepMs: 1.5 },
  { keepMs: "1; DROP TABLE notes" as never },
  { keepMs: Number.POSITIVE_INFINITY },
  { timeoutMs: 0 },
  { timeoutMs: 60_001 },
])("postgresInbox rejects the options %j", (options) => expect(() => postgresInbox(pool, options)).toThrow(invalid));

test("once rejects if the work rolls back its PGlite transaction, because the event would be lost", async () => {
  const table = "rolled_back";
  await pglite.exec(inboxMigration({ table }));
  const inbox = postgresInbox(pglite, { table });
  await expect(inbox.once({}, (tx) => tx.rollback(), { key: "k" })).rejects.toThrow();
  expect(await inbox.once({}, async () => undefined, { key: "k" })).toEqual({ duplicate: false });
});

test("the inbox does not create a table itself", async () => {
  await expect(postgresInbox(pglite).once({}, async () => undefined, { key: "k" })).rejects.toThrow(/offers_inbox/);
  const { rows } = await pglite.query("SELECT 1 FROM pg_class WHERE relname LIKE 'offers%'");
  expect(rows).toEqual([]);
});
