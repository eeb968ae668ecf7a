import { describe, test } from "vitest";
import { isPostgresRunning } from "../../../../scripts/test-database.ts";
import { postgresInbox } from "../../src/postgres.ts";
import { expectOneOfEightToSucceed, isolationLevels, openIsolated } from "./isolation.ts";

describe.runIf(await isPostgresRunning()).each(isolationLevels)("where transactions are %s", (level) => {
  test("of several concurrent attempts at an event, one is handled and all others are duplicates [D-137]", async () => {
    const { pool } = await openIsolated(level);
    await expectOneOfEightToSucceed(postgresInbox(pool));
  });
});
