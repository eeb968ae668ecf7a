import { expect, test } from "vitest";
import { isPostgresRunning } from "../../scripts/test-database.ts";
import { exploreWithout, type Guard, guards } from "./guards.ts";

/** More schedules than are needed to notice that any guard is missing. `npm run check -- guards` prints the number for each guard. */
const maxCount = 1_000;
const hasPostgres = await isPostgresRunning();
const testableGuards = (Object.keys(guards) as Guard[]).filter((guard) => guards[guard] === "simulator" || hasPostgres);

test.each(testableGuards)(
  "without the guard %s, deliveries break the contract",
  { timeout: 600_000 },
  async (guard) => {
    const { failed } = await exploreWithout(guard, 1, maxCount);
    expect(failed).toBeDefined();
  },
);
