import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const main = join(import.meta.dirname, "../src/main.ts");

/** By default, only one dialect is tested, because the platform's tests in test/contract cover both. */
const dialects = process.env.TEST_MATRIX === "full" ? ["reference", "live"] : ["reference"];

test.each(dialects)("every step of the walkthrough passes in the %s dialect", async (dialect) => {
  const { stdout } = await promisify(execFile)(process.execPath, [main, "--once", "--dialect", dialect]);
  const summary = stdout.trimEnd().split("\n").at(-1) ?? "";
  const [, passed, failed] = /^journey: (\d+) steps passed, (\d+) failed$/.exec(summary) ?? [];
  expect(Number(failed)).toBe(0);
  expect(Number(passed)).toBeGreaterThanOrEqual(25);
});
