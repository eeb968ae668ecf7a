// The gate: what npm test runs, in the order in which a mistake is cheapest to find. Arguments go to vitest.
import { spawnSync } from "node:child_process";

const steps: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ["generated code matches spec/", process.execPath, "tools/generate.ts", "--check"],
  ["lint and format", "biome", "ci", "--error-on-warnings"],
  ["every statement of the contract has its tests", process.execPath, "tools/check-contract.ts"],
  ["OpenAPI document", "redocly", "lint"],
  ["types", "tsc"],
  ["snippets in the docs", process.execPath, "tools/check-snippets.ts"],
  ["tests", "vitest", "run", ...process.argv.slice(2)],
];

for (const [name, command, ...args] of steps) {
  console.log(`\n── ${name}`);
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) {
    console.error(`── ${name}: failed`);
    process.exit(status ?? 1);
  }
}
