import { PrismaPg } from "@prisma/adapter-pg";
import { drizzle } from "drizzle-orm/pglite";
import { afterAll, expect, test, vi } from "vitest";
import { findPostgres } from "../../../../scripts/test-database.ts";
import { postgresInbox } from "../../src/postgres.ts";
import { openPglite } from "../support/open-pglite.ts";
import { databaseOfFile } from "./postgres-server.ts";
import { PrismaClient } from "./prisma/generated/client.ts";

const invalid = expect.objectContaining({ name: "ConfigurationError", code: "invalid_option" });
const missing = expect.objectContaining({
  code: "inbox_table_missing",
  message: expect.stringMatching(
    '^postgresInbox\'s table "offers_inbox" does not exist. Run the SQL that inboxMigration\\(\\) returns',
  ),
});

const pglite = await openPglite();
afterAll(() => pglite.close());

test("a missing table is recognised inside Drizzle's errors, and its transaction is not a handle", async () => {
  await drizzle(pglite).transaction(async (tx) => expect(() => postgresInbox(tx as never)).toThrow(invalid));
  const inbox = postgresInbox(drizzle(pglite));
  await expect(inbox.once({}, async () => undefined, { key: "k" })).rejects.toEqual(missing);
});

test.runIf(await findPostgres())(
  "a missing table is recognised inside Prisma's errors, and its transaction is not a handle",
  async () => {
    const adapter = new PrismaPg({ connectionString: await databaseOfFile() });
    const prisma = new PrismaClient({ adapter });
    const inbox = postgresInbox(prisma);
    const table = missing;
    await expect(inbox.once({}, async () => undefined, { key: "k" })).rejects.toEqual(table);
    await expect(inbox.acquire("k", { leaseMs: 1_000 })).rejects.toEqual(table);
    await prisma.$transaction(async (tx) => expect(() => postgresInbox(tx as never)).toThrow(invalid));
    await prisma.$disconnect();
  },
);

test("a PrismaClient that cannot reach the database rejects, and nothing is recorded", async () => {
  const adapter = new PrismaPg({ host: "127.0.0.1", port: 1, connectionTimeoutMillis: 1_000 });
  const work = vi.fn(async () => undefined);
  await expect(postgresInbox(new PrismaClient({ adapter })).once({}, work, { key: "k" })).rejects.toThrow();
  expect(work).not.toHaveBeenCalled();
});
