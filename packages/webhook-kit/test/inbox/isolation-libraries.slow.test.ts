import { PrismaPg } from "@prisma/adapter-pg";
import { drizzle } from "drizzle-orm/node-postgres";
import { Kysely, PostgresDialect } from "kysely";
import { afterAll, describe, test } from "vitest";
import { isPostgresRunning } from "../../../../scripts/test-database.ts";
import { postgresInbox } from "../../src/postgres.ts";
import { expectOneOfEightToSucceed, isolationLevels, openIsolated } from "./isolation.ts";
import { PrismaClient } from "./prisma/generated/client.ts";

describe.runIf(await isPostgresRunning()).each(isolationLevels)("where transactions are %s", (level) => {
  test("of several concurrent attempts at an event, one is handled and all others are duplicates, with every library", async () => {
    const { url, pool } = await openIsolated(level);
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
    afterAll(() => prisma.$disconnect());
    await expectOneOfEightToSucceed(postgresInbox(new Kysely<object>({ dialect: new PostgresDialect({ pool }) })));
    await expectOneOfEightToSucceed(postgresInbox(drizzle(pool)));
    await expectOneOfEightToSucceed(postgresInbox(prisma));
  });
});
