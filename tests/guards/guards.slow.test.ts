import { expect, test } from "vitest";
import { findPostgres } from "../../scripts/test-database.ts";
import { exploreWithout, type Guard, guards } from "./guards.ts";

/** `npm run check -- guards` prints how many schedules each guard takes. */
const most = 1_000;
const hasPostgres = await findPostgres();
const explored = (Object.keys(guards) as Guard[]).filter((guard) => guards[guard] === "simulator" || hasPostgres);

test.each(explored)("without the guard %s, deliveries break the contract", { timeout: 600_000 }, async (guard) => {
  const { failed } = await exploreWithout(guard, 1, most);
  expect(failed).toBeDefined();
});
