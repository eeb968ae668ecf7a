import { expect, test } from "vitest";
import { runSeeds } from "../run-seeds.ts";

/** A share: about fifteen run in a second. `npm run check -- simulator` runs others, as many as asked for. */
const count = 150;

test("whatever processes, database, network and people do, the contract of deliveries holds", async () => {
  const { ran, failed } = await runSeeds("simulator", 1, count);
  expect(failed).toBeUndefined();
  expect(ran).toBe(count);
});

test("a seed replays exactly, also after other stories on the same database", async () => {
  const [alone, again, after] = await Promise.all([
    runSeeds("simulator", 21, 1),
    runSeeds("simulator", 21, 1),
    runSeeds("simulator", 19, 3),
  ]);
  expect(again.fingerprint).toBe(alone.fingerprint);
  expect(after.fingerprint).toBe(alone.fingerprint);
});
