import { expect, test } from "vitest";
import { isPostgresRunning } from "../../scripts/test-database.ts";
import { runSeeds } from "../run-seeds.ts";

/** A sample: `npm run check -- interleavings` runs more. */
const seedCount = 20;

test.runIf(await isPostgresRunning())(
  "the contract holds in whatever order processes send their statements, and a seed replays exactly",
  async () => {
    const { ran, failed, fingerprints } = await runSeeds("interleavings", 1, seedCount);
    expect(failed).toBeUndefined();
    expect(ran).toBe(seedCount);
    // Replay the last seed without the earlier ones.
    const replay = await runSeeds("interleavings", seedCount, 1);
    expect(replay.fingerprints.last).toBe(fingerprints.last);
  },
);
