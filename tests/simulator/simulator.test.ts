import { expect, test } from "vitest";
import { runSeeds } from "../run-seeds.ts";

/** A sample. `npm run check -- simulator` runs others, as many as requested. */
const count = 50;

test("the contract of deliveries holds whatever processes, database, network and users do, and a seed replays exactly", async () => {
  const { ran, failed, fingerprints } = await runSeeds("simulator", 1, count);
  expect(failed).toBeUndefined();
  expect(ran).toBe(count);
  // The last scenario on a fresh database.
  const alone = await runSeeds("simulator", count, 1);
  expect(alone.fingerprints.last).toBe(fingerprints.last);
});
