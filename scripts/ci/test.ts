// Runs npm test: static checks in parallel, then the tests.
//   npm test                    all static checks, and all tests except the slow ones (*.slow.test.ts)
//   npm test -- path … [-t …]   only these test files, even slow ones, without the static checks
//   npm test -- --full          without the slow tests, but on every store, adapter and library
// Other arguments go to vitest.
import { execFile } from "node:child_process";
import { parseCLI, startVitest } from "vitest/node";
import { TestReporter } from "./reporter.ts";

const checks: Record<string, readonly [command: string, ...args: string[]]> = {
  "generated code matches spec/": [process.execPath, "scripts/generate.ts", "--check"],
  "lint and format": ["biome", "ci", "--error-on-warnings", "--colors=off"],
  "plain English": [process.execPath, "scripts/idioms.mjs"],
  types: ["npm", "run", "--silent", "typecheck"],
  "every statement of the contract has its tests": [process.execPath, "scripts/check-contract.ts"],
  "imports point only to lower layers": [
    "depcruise",
    "--config",
    "scripts/import-rules.mjs",
    "packages/*/src",
    "examples/*/src",
    "bench",
    "scripts",
    "tests",
    "spec",
  ],
  "OpenAPI document": ["redocly", "lint"],
  "published packages declare the dependencies that they use": [
    "knip",
    "--config",
    "scripts/release/packages/knip.config.ts",
    "--production",
    "--include",
    "files,dependencies,unlisted,unresolved",
  ],
  "snippets in the docs": [process.execPath, "scripts/snippets/check.ts"],
};

/** Runs a check and prints its result, followed by the output if it failed. @returns whether it passed */
const runCheck = (name: string, [command, ...commandArgs]: readonly [string, ...string[]]): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(command, commandArgs, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      console.log(error ? `FAILED ${name}\n${stdout}${stderr}`.trimEnd() : `   ok  ${name}`);
      resolve(!error);
    });
  });

const args = process.argv.slice(2);
const isFull = args.includes("--full");
const { filter, options } = parseCLI(["vitest", "run", ...args.filter((arg) => arg !== "--full")]);

if (filter.length === 0) {
  console.log("Checks:");
  const results = await Promise.all(Object.entries(checks).map(([name, command]) => runCheck(name, command)));
  const failedCount = results.filter((hasPassed) => !hasPassed).length;
  if (failedCount > 0) {
    console.log(`The tests did not run.\n${results.length - failedCount} passed, ${failedCount} failed`);
    process.exit(1);
  }
}
console.log(`Tests${isFull ? ", the full matrix" : ""}:`);
if (isFull) process.env.TEST_MATRIX = "full";
const reporter = new TestReporter();
const projects = filter.length === 0 ? ["shared", "isolated"] : ["shared", "isolated", "slow"];
const streams = { stdout: reporter.stream, stderr: reporter.stream };
await startVitest(filter, { project: projects, ...options, reporters: [reporter] }, {}, streams);
const { passed, failed, skipped } = reporter.counts;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
// Vitest sets the exit code for failures outside of tests.
process.exit(failed > 0 || passed === 0 ? 1 : process.exitCode);
