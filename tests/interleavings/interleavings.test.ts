import { expect, test } from "vitest";
import { findPostgres } from "../../scripts/test-database.ts";
import { runSeeds } from "../run-seeds.ts";

/** A sample. `npm run check -- interleavings` runs others, as many as requested. */
const count = 20;

test.runIf(await findPostgres())(
  "the contract holds in whatever order processes send their statements, and a seed replays exactly",
  async () => {
    const { ran, failed, fingerprints } = await runSeeds("interleavings", 1, count);
    expect(failed).toBeUndefined();
    expect(ran).toBe(count);
    // Without the earlier schedules in the same database.
    const alone = await runSeeds("interleavings", count, 1);
    expect(alone.fingerprints.last).toBe(fingerprints.last);
  },
);
