import { expect, test } from "vitest";
import { findPostgres } from "../../test-database.ts";
import { runSeeds } from "../run-seeds.ts";

/** A share: `npm run check -- interleavings` runs others, as many as asked for. */
const count = 40;

const testOnPostgres = test.runIf(await findPostgres());

testOnPostgres("in whatever order processes send their statements, the contract holds", async () => {
  const { ran, failed } = await runSeeds("interleavings", 1, count);
  expect(failed).toBeUndefined();
  expect(ran).toBe(count);
});

testOnPostgres("a seed replays exactly, also after others in the same database", async () => {
  const alone = await runSeeds("interleavings", 12, 1);
  const after = await runSeeds("interleavings", 9, 4);
  expect(after.fingerprint).toBe(alone.fingerprint);
});
