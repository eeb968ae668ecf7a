// The gate: what npm test runs. Checks without a test runner come first, beside each other, then vitest.
//   --full   every rule on every store, adapter, time zone and Node, and the documentation as it is built
// All other arguments go to vitest.
import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

type Command = readonly [command: string, ...args: string[]];

const checks: Record<string, Command> = {
  "generated code matches spec/": [process.execPath, "tools/generate.ts", "--check"],
  "lint and format": ["biome", "ci", "--error-on-warnings"],
  "every statement of the contract has its tests": [process.execPath, "tools/check-contract.ts"],
  "imports only go down": [
    "depcruise",
    ...["--config", "tools/import-rules.mjs", "{packages,examples}/*/src", "bench", "tools", "spec"],
  ],
  "OpenAPI document": ["redocly", "lint"],
  "snippets in the docs": [process.execPath, "tools/check-snippets.ts"],
};

const args = process.argv.slice(2);
const isFull = args.includes("--full");
const vitest: Command = ["vitest", "run", ...args.filter((arg) => arg !== "--full")];

/** @returns whether it ended with 0 */
async function run([command, ...rest]: Command, options: SpawnOptions): Promise<boolean> {
  const [status] = await once(spawn(command, rest, options), "close");
  return status === 0;
}

/** Runs a check and prints what it printed in one piece. */
async function check(name: string, [command, ...rest]: Command): Promise<boolean> {
  const child = spawn(command, rest, { stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close");
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await closed;
  console.log(`\n── ${name}${status === 0 ? "" : ": failed"}\n${output}${errors}`.trimEnd());
  return status === 0;
}

const passed = await Promise.all(Object.entries(checks).map(([name, command]) => check(name, command)));
if (passed.includes(false)) process.exit(1);
console.log(`\n── tests${isFull ? ", the full matrix" : ""}`);
const env = { ...process.env, ...(isFull && { TEST_MATRIX: "full" }) };
process.exit((await run(vitest, { stdio: "inherit", env })) ? 0 : 1);
