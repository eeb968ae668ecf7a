import { describe, test } from "vitest";
import { findPostgres } from "../../../../scripts/test-database.ts";
import { postgresInbox } from "../../src/postgres.ts";
import { expectOneOfEight, levels, openIsolated } from "./isolation.ts";

describe.runIf(await findPostgres()).each(levels)("where transactions are %s", (level) => {
  test("one of several concurrent attempts of an event is handled and the others are duplicates [D-137]", async () => {
    const { pool } = await openIsolated(level);
    await expectOneOfEight(postgresInbox(pool));
  });
});
