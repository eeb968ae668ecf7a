import { expect, test } from "vitest";
import { runSeeds } from "../run-seeds.ts";

/** A sample: `npm run check -- simulator` runs more. */
const scenarioCount = 50;

test("deliveries meet the contract despite faults of processes, database and network, and a seed replays exactly", async () => {
  const { ran, failed, fingerprints } = await runSeeds("simulator", 1, scenarioCount);
  expect(failed).toBeUndefined();
  expect(ran).toBe(scenarioCount);
  // Replay the last scenario on a fresh database.
  const replay = await runSeeds("simulator", scenarioCount, 1);
  expect(replay.fingerprints.last).toBe(fingerprints.last);
});
