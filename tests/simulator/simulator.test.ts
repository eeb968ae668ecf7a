import { expect, test } from "vitest";
import { runSeeds } from "../run-seeds.ts";

/** A share: `npm run check -- simulator` runs others, as many as asked for. */
const count = 50;

/** Two processes run beside each other. */
const half = count / 2;

test("whatever processes, database, network and people do, the contract of deliveries holds, and a seed replays exactly", async () => {
  // The second process begins with the last story of the first: without those before it on the same database.
  const [one, other] = await Promise.all([runSeeds("simulator", 1, half), runSeeds("simulator", half, half + 1)]);
  expect([one.failed, other.failed]).toEqual([undefined, undefined]);
  expect(one.ran + other.ran).toBe(count + 1);
  expect(other.fingerprints.first).toBe(one.fingerprints.last);
});
