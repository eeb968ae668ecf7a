import { PrismaPg } from "@prisma/adapter-pg";
import { drizzle } from "drizzle-orm/pglite";
import { afterAll, expect, test, vi } from "vitest";
import { isPostgresRunning } from "../../../../scripts/test-database.ts";
import { postgresInbox } from "../../src/postgres.ts";
import { openPglite } from "../support/open-pglite.ts";
import { createDatabaseForFile } from "./postgres-server.ts";
import { PrismaClient } from "./prisma/generated/client.ts";

const invalid = expect.objectContaining({ name: "ConfigurationError", code: "invalid_option" });
const missingTable = expect.objectContaining({
  code: "inbox_table_missing",
  message: expect.stringMatching(
    '^postgresInbox\'s table "offers_inbox" does not exist. Run the SQL that inboxMigration\\(\\) returns',
  ),
});

const pglite = await openPglite();
afterAll(() => pglite.close());

test("the inbox recognises a missing table from a Drizzle error, and rejects a Drizzle transaction as a handle", async () => {
  await drizzle(pglite).transaction(async (tx) => expect(() => postgresInbox(tx as never)).toThrow(invalid));
  const inbox = postgresInbox(drizzle(pglite));
  await expect(inbox.once({}, async () => undefined, { key: "k" })).rejects.toEqual(missingTable);
});

test.runIf(await isPostgresRunning())(
  "the inbox recognises a missing table from a Prisma error, and rejects a Prisma transaction as a handle",
  async () => {
    const adapter = new PrismaPg({ connectionString: await createDatabaseForFile() });
    const prisma = new PrismaClient({ adapter });
    const inbox = postgresInbox(prisma);
    await expect(inbox.once({}, async () => undefined, { key: "k" })).rejects.toEqual(missingTable);
    await expect(inbox.acquire("k", { leaseMs: 1_000 })).rejects.toEqual(missingTable);
    await prisma.$transaction(async (tx) => expect(() => postgresInbox(tx as never)).toThrow(invalid));
    await prisma.$disconnect();
  },
);

test("once rejects when a PrismaClient cannot reach the database, and the work does not run", async () => {
  const adapter = new PrismaPg({ host: "127.0.0.1", port: 1, connectionTimeoutMillis: 1_000 });
  const work = vi.fn(async () => undefined);
  await expect(postgresInbox(new PrismaClient({ adapter })).once({}, work, { key: "k" })).rejects.toThrow();
  expect(work).not.toHaveBeenCalled();
});
