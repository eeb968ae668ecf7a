import { expect, test } from "vitest";
import { runSeeds } from "../run-seeds.ts";

/** A share, a minute or two of CPU: `npm run check -- simulator` runs others, as many as asked for. */
const count = 2_000;

/** Where each of the processes begins, which run beside each other. */
const firsts = [1, count / 2 + 1];

test("whatever processes, database, network and people do, the contract of deliveries holds", {
  timeout: 1_200_000,
}, async () => {
  const results = await Promise.all(firsts.map((first) => runSeeds("simulator", first, count / firsts.length)));
  expect(results.map(({ failed }) => failed)).toEqual([undefined, undefined]);
  expect(results.reduce((sum, { ran }) => sum + ran, 0)).toBe(count);
});

test("a seed replays exactly, also after other stories on the same database", async () => {
  const [alone, after] = await Promise.all([runSeeds("simulator", 21, 1), runSeeds("simulator", 19, 3)]);
  expect(after.fingerprint).toBe(alone.fingerprint);
});
