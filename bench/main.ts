// Measures the packages beside their peers and prints tables. Nothing is asserted of the figures, only that every contender
// really did its work.
//   npm run bench -- receivers      one suite; without a name, all
//   --quick                         few rounds
//   --json figures.json             writes the figures as well
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { measureClients } from "./client/suite.ts";
import type { Comparison } from "./comparison.ts";
import { measurePlatform } from "./platform/suite.ts";
import { measureReceivers } from "./receivers/suite.ts";
import type { Suite } from "./suite.ts";
import { printTable } from "./table.ts";

const suites = new Map<string, Suite>([
  ["client", measureClients],
  ["receivers", measureReceivers],
  ["platform", measurePlatform],
]);

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
const names = positionals.length > 0 ? positionals : [...suites.keys()];
const chosen = names.map((name): [string, Suite] => {
  const suite = suites.get(name);
  if (!suite) throw new Error(`There is no suite ${name}, only ${[...suites.keys()].join(", ")}.`);
  return [name, suite];
});

const machine = {
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cores: availableParallelism(),
};
console.log(`Node ${machine.node}, ${machine.platform}, ${machine.cores} cores${options.quick ? ", quick" : ""}\n`);
const figures: Record<string, readonly Comparison[]> = {};
for (const [name, suite] of chosen) {
  console.log(`## ${name}\n`);
  const comparisons = await suite({ quick: options.quick });
  for (const comparison of comparisons) console.log(printTable(comparison));
  figures[name] = comparisons;
}
if (options.json)
  writeFileSync(options.json, `${JSON.stringify({ ...machine, quick: options.quick, suites: figures }, null, 2)}\n`);
