// Measures the packages beside their peers and prints tables. Nothing is asserted of the figures, only that every candidate
// really did its work. Each sample is taken in a fresh process, of one candidate and the base in turns. mitata and tinybench
// measure all candidates in one process, where the first decides what V8 has compiled and collected for the last.
//   npm run bench -- receivers                one suite; without a name, all
//   --quick                                   two rounds: too few for an interval
//   --json figures.json                       writes the figures, the machine and every version as well
//   npm run bench -- compare a.json b.json    how far two such files agree
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { agreementOf } from "./agreement.ts";
import { measureClients } from "./client/suite.ts";
import type { Comparison } from "./comparison.ts";
import { measureGrowth } from "./growth/suite.ts";
import { measureInbox } from "./inbox/suite.ts";
import { measurePlatform } from "./platform/suite.ts";
import { measureReceivers } from "./receivers/suite.ts";
import { describeRun, type Report } from "./report.ts";
import { measureScale } from "./scale/suite.ts";
import type { Suite } from "./suite.ts";
import { printTable } from "./table.ts";

const suites = new Map<string, Suite>([
  ["client", measureClients],
  ["receivers", measureReceivers],
  ["inbox", measureInbox],
  ["platform", measurePlatform],
  ["scale", measureScale],
  ["growth", measureGrowth],
]);

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
if (positionals[0] === "compare") printAgreement(positionals.slice(1));
else await run(positionals.length > 0 ? positionals : [...suites.keys()]);

async function run(names: readonly string[]): Promise<void> {
  const chosen = names.map((name): [string, Suite] => {
    const suite = suites.get(name);
    if (!suite) throw new Error(`There is no suite ${name}, only ${[...suites.keys()].join(", ")}.`);
    return [name, suite];
  });
  const about = describeRun(options.quick);
  const { cpu, cores, memoryGiB, platform } = about.machine;
  console.log(`Node ${about.node}, ${platform}, ${cores} cores of ${cpu}, ${memoryGiB} GiB, ${about.date}\n`);
  if (options.quick) console.log("Quick: to see that everything runs, not to quote.\n");
  const figures: Record<string, readonly Comparison[]> = {};
  for (const [name, suite] of chosen) {
    console.log(`## ${name}\n`);
    figures[name] = await suite({ quick: options.quick });
    for (const comparison of figures[name]) console.log(printTable(comparison));
    // After each suite: what the next one does loses nothing.
    const report: Report = { ...about, suites: figures };
    if (options.json) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  }
}

function printAgreement([one, other]: readonly string[]): void {
  if (!one || !other) throw new Error("compare needs two files that --json has written.");
  const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Report;
  const { rows, agreeing, disagreeing, narrow, intervals } = agreementOf(read(one), read(other));
  if (rows === 0) throw new Error("The two share no measured row with an interval; a quick run has none.");
  const share = (part: number, whole: number) => `${part} of ${whole} (${((100 * part) / whole).toFixed(0)} %)`;
  console.log(`${share(agreeing, rows)} rows agree: their intervals overlap.`);
  console.log(`${share(narrow, intervals)} intervals reach at most 7 % to either side.`);
  for (const name of disagreeing) console.log(`Not: ${name}`);
}
