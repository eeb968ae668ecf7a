// The gate: what npm test runs. Checks without a test runner come first, beside each other, then vitest.
//   --full   every rule on every store, adapter, time zone and Node, and the documentation as it is built
// All other arguments go to vitest.
import { execFile, spawnSync } from "node:child_process";

const checks: Record<string, readonly [command: string, ...args: string[]]> = {
  "generated code matches spec/": [process.execPath, "tools/generate.ts", "--check"],
  "lint and format": ["biome", "ci", "--error-on-warnings"],
  "every statement of the contract has its tests": [process.execPath, "tools/check-contract.ts"],
  "imports only go down": [
    "depcruise",
    "--config",
    "tools/import-rules.mjs",
    "{packages,examples}/*/src",
    "bench",
    "tools",
    "spec",
  ],
  "OpenAPI document": ["redocly", "lint"],
  "published packages use what they ask for": [
    "knip",
    "--config",
    "tools/release/packages/knip.config.ts",
    "--production",
    "--include",
    "files,dependencies,unlisted,unresolved",
  ],
  "snippets in the docs": [process.execPath, "tools/gate/check-snippets.ts"],
};

const args = process.argv.slice(2);
const isFull = args.includes("--full");

/** Runs a check and prints its output in one piece. @returns whether it passed */
const check = (name: string, [command, ...rest]: readonly [string, ...string[]]): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(command, rest, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      console.log(`\n── ${name}${error ? ": failed" : ""}\n${stdout}${stderr}`.trimEnd());
      resolve(!error);
    });
  });

const passed = await Promise.all(Object.entries(checks).map(([name, command]) => check(name, command)));
if (passed.includes(false)) process.exit(1);
console.log(`\n── tests${isFull ? ", the full matrix" : ""}`);
const { status } = spawnSync("vitest", ["run", ...args.filter((arg) => arg !== "--full")], {
  stdio: "inherit",
  env: { ...process.env, ...(isFull && { TEST_MATRIX: "full" }) },
});
process.exit(status ?? 1);
