import type { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect } from "kysely";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { webhookHandler } from "../../src/fetch.ts";
import { inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { openPglite } from "../support/open-pglite.ts";
import { createSignedHeaders, secret } from "../support/serve.ts";

// All tests share one database, because opening it takes longer than running them.
const pglite = await openPglite();
afterEach(() => pglite.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public"));
afterAll(() => pglite.close());

const missingTable = (table: string, call: string) =>
  expect.objectContaining({
    name: "UnavailableError",
    code: "inbox_table_missing",
    message: `postgresInbox's table ${table} does not exist. Run the SQL that ${call} returns with your own migrations.`,
    cause: expect.objectContaining({ code: "42P01" }),
  });

const openHandle = {
  PGlite: (pglite: PGlite) => pglite,
  Kysely: (pglite: PGlite) => new Kysely<object>({ dialect: new PGliteDialect({ pglite }) }),
};

test.each(["PGlite", "Kysely"] as const)(
  "on %s without the inbox table, every method rejects with an error that names inboxMigration()",
  async (library) => {
    const inbox = postgresInbox<unknown>(openHandle[library](pglite) as PGlite);
    const work = vi.fn(async () => undefined);
    const failure = missingTable('"offers_inbox"', "inboxMigration()");
    await expect(inbox.once({}, work, { key: "k" })).rejects.toEqual(failure);
    await expect(inbox.acquire("k", { leaseMs: 1_000 })).rejects.toEqual(failure);
    await expect(inbox.deleteExpired()).rejects.toEqual(failure);
    expect(work).not.toHaveBeenCalled();
    await pglite.exec(inboxMigration());
    expect(await inbox.once({}, work, { key: "k" })).toEqual({ duplicate: false });
    // Runs the migration again, like a program that creates the table each time it starts.
    await pglite.exec(inboxMigration());
    expect(await inbox.once({}, work, { key: "k" })).toEqual({ duplicate: true });
  },
);

test("if a table of the user is missing, once rejects with the unchanged database error", async () => {
  await pglite.exec(inboxMigration({ table: "own" }));
  const inbox = postgresInbox(pglite, { table: "own" });
  await expect(inbox.once({}, (tx) => tx.query("SELECT 1 FROM nothing"), { key: "k" })).rejects.toMatchObject({
    code: "42P01",
    message: 'relation "nothing" does not exist',
  });
  const planningInbox = postgresInbox(pglite, { table: "planning" });
  await expect(planningInbox.once({}, async () => undefined, { key: "k" })).rejects.toEqual(
    missingTable('"planning"', "inboxMigration({ table })"),
  );
});

test("a webhook gets 503, so the service retries until the table exists", async () => {
  const deduplication = postgresInbox(pglite, { timeoutMs: 60_000 });
  const onError = vi.fn();
  const onWorkerAddedContact = vi.fn();
  const handler = webhookHandler({ secret, deduplication, onWorkerAddedContact, onError });
  const send = () => handler(new Request("http://127.0.0.1/contact/new/amal", { headers: createSignedHeaders() }));
  expect((await send()).status).toBe(503);
  expect(onError).toHaveBeenCalledExactlyOnceWith(missingTable('"offers_inbox"', "inboxMigration()"));
  await pglite.exec(inboxMigration());
  expect((await send()).status).toBe(200);
  expect(onWorkerAddedContact).toHaveBeenCalledTimes(1);
});
