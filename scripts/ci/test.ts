// What npm test runs: static checks in parallel, then the tests.
//   npm test                    all of it, without the slow tests (*.slow.test.ts)
//   npm test -- path … [-t …]   only these test files, slow ones too, without the static checks
//   npm test -- --full          every rule on every store, adapter and library
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
  "imports only go down": [
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
  "published packages use what they ask for": [
    "knip",
    "--config",
    "scripts/release/packages/knip.config.ts",
    "--production",
    "--include",
    "files,dependencies,unlisted,unresolved",
  ],
  "snippets in the docs": [process.execPath, "scripts/snippets/check.ts"],
};

/** Prints one line, and a failed check's output below it. @returns whether it passed */
const check = (name: string, [command, ...rest]: readonly [string, ...string[]]): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(command, rest, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      console.log(error ? `FAILED ${name}\n${stdout}${stderr}`.trimEnd() : `   ok  ${name}`);
      resolve(!error);
    });
  });

const args = process.argv.slice(2);
const isFull = args.includes("--full");
const { filter, options } = parseCLI(["vitest", "run", ...args.filter((arg) => arg !== "--full")]);

if (filter.length === 0) {
  console.log("Checks:");
  const passed = await Promise.all(Object.entries(checks).map(([name, command]) => check(name, command)));
  const failed = passed.filter((isPassed) => !isPassed).length;
  if (failed > 0) {
    console.log(`The tests did not run.\n${passed.length - failed} passed, ${failed} failed`);
    process.exit(1);
  }
}
console.log(`Tests${isFull ? ", the full matrix" : ""}:`);
if (isFull) process.env.TEST_MATRIX = "full";
const reporter = new TestReporter();
const projects = filter.length === 0 ? ["shared", "isolated"] : ["shared", "isolated", "slow"];
const streams = { stdout: reporter.stream, stderr: reporter.stream };
await startVitest(filter, { project: projects, ...options, reporters: [reporter] }, {}, streams);
const { passed, failed, skipped } = reporter.count;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
// Vitest sets the exit code for failures outside of tests.
process.exit(failed > 0 || passed === 0 ? 1 : process.exitCode);
