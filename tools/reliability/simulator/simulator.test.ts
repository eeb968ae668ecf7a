import { expect, test } from "vitest";
import { runSeeds } from "../run-seeds.ts";

/** A share, a minute or two of CPU: `npm run check -- simulator` runs others, as many as asked for. */
const count = 2_000;

/** Where each of the processes begins, which run beside each other. */
const firsts = [1, count / 2 + 1];
const each = count / firsts.length;

test("whatever processes, database, network and people do, the contract of deliveries holds, and a seed replays exactly", {
  timeout: 1_200_000,
}, async () => {
  // The last seed of the first process once more, without the others before it on the same database.
  const [replayed, ...results] = await Promise.all([
    runSeeds("simulator", each, 1),
    ...firsts.map((first) => runSeeds("simulator", first, each)),
  ]);
  expect(results.map(({ failed }) => failed)).toEqual([undefined, undefined]);
  expect(results.reduce((sum, { ran }) => sum + ran, 0)).toBe(count);
  expect(replayed?.fingerprint).toBe(results[0]?.fingerprint);
});
