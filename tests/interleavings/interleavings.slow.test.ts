import { expect, test } from "vitest";
import { isPostgresRunning } from "../../scripts/test-database.ts";
import { runSeeds } from "../run-seeds.ts";

/** A sample: `npm run check -- interleavings` runs more. */
const seedCount = 20;

test.runIf(await isPostgresRunning())(
  "deliveries meet the contract for every order of statements that a seed picks, and a seed replays exactly",
  async () => {
    const { ran, failed, fingerprints } = await runSeeds("interleavings", 1, seedCount);
    expect(failed).toBeUndefined();
    expect(ran).toBe(seedCount);
    // Replay the last seed without the earlier ones.
    const replay = await runSeeds("interleavings", seedCount, 1);
    expect(replay.fingerprints.last).toBe(fingerprints.last);
  },
);
