// npm start in a fresh clone installs only what the walkthrough needs. The next npm test installs the remaining dependencies.
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../processes/run-command.ts";

const root = join(import.meta.dirname, "../..");

test("npm start installs less than half as much as npm test, and its walkthrough passes", {
  timeout: 900_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "offers-start-"));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5, retryDelay: 200 }));
  const clone = join(folder, "offers");
  await runCommand("git", ["clone", "--quiet", root, clone], { cwd: folder });
  const run = (...args: string[]) => runCommand("npm", [...args], { cwd: clone });
  const countInstalled = async () => (await readdir(join(clone, "node_modules/.pnpm"))).length;

  // The walkthrough needs OpenTelemetry's SDK.
  const output = await run("start", "--", "--once", "--trace");
  expect(output).toMatch(/^journey: \d+ steps passed, 0 failed$/m);
  expect(output).toMatch(/^CreateOffer 201 +hirer /m);
  const installedByStart = await countInstalled();
  expect(existsSync(join(clone, "node_modules/vitest"))).toBe(false);

  await run("run", "generate", "--", "--check");
  expect(existsSync(join(clone, "node_modules/vitest"))).toBe(true);
  const installedByTest = await countInstalled();
  expect(installedByStart).toBeLessThan(installedByTest / 2);

  await run("start", "--", "--once");
  expect(await countInstalled()).toBe(installedByTest);
});
