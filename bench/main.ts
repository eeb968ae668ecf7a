// Measures the packages and their peers, and prints tables. Asserts that every candidate did its work, but nothing about the figures. Every
// candidate runs in new processes, close in time to the base. mitata and tinybench measure all candidates in one
// process, where the first candidate affects the compiled code and the heap that the last one runs with.
//   npm run bench -- receivers                runs one suite; without a name, runs all
//   --quick                                   runs a few short rounds, too few for an interval
//   --publish                                 writes the suites' sections of docs/benchmarks.md
import { parseArgs } from "node:util";
import { measureClients } from "./client/client-suite.ts";
import { describeRun, writeSuiteSection } from "./page.ts";
import { measurePlatform } from "./platform/platform-suite.ts";
import { measureReceivers } from "./receivers/receivers-suite.ts";
import type { Suite } from "./suite.ts";
import { formatTable } from "./table.ts";

const suites = new Map<string, Suite>([
  ["client", measureClients],
  ["receivers", measureReceivers],
  ["platform", measurePlatform],
]);

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, publish: { type: "boolean", default: false } },
});
if (options.quick && options.publish)
  throw new Error("A quick run has no confidence intervals, so it cannot be published.");
const names = positionals.length > 0 ? positionals : [...suites.keys()];
const selectedSuites = names.map((name): [string, Suite] => {
  const suite = suites.get(name);
  if (!suite) throw new Error(`Unknown suite ${name}. Choose from ${[...suites.keys()].join(", ")}.`);
  return [name, suite];
});
console.log(`${describeRun()}\n`);
if (options.quick) console.log("A quick run only shows that everything works, so do not quote its figures.\n");
for (const [name, suite] of selectedSuites) {
  console.log(`## ${name}\n`);
  const comparisons = await suite({ quick: options.quick });
  for (const comparison of comparisons) console.log(formatTable(comparison));
  // Publish after each suite, so that a later failure loses nothing.
  if (options.publish) writeSuiteSection(name, comparisons);
}
