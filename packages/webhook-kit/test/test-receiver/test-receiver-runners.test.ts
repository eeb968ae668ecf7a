import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

// Jest is not a dependency of this repository. `npm run check -- compatibility recipes` tests it.
test("testReceiver works with Node's own test runner, which exits once the receiver is closed", () => {
  const file = join(import.meta.dirname, "..", "recipes/node-test.ts");
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", file], {
    env,
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([0, expect.stringMatching(/# pass 2\n# fail 0\n/)]);
});
