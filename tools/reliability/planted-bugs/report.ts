// How many schedules it takes to find each planted bug, over nine ranges of seeds: npm run check -- planted-bugs
//   "lock of a feed"   one of them
//   MOST=1000          schedules of each range
import { type Explorer, runSeeds } from "../run-seeds.ts";
import { interleavingBugs, simulatorBugs } from "./plant.ts";

const most = Number(process.env.MOST ?? 1_000);
const firsts = Array.from({ length: 9 }, (_, index) => 1 + index * 1_000_000);
const selected = process.argv.slice(2);
let isMissed = false;

async function report(explorer: Explorer, name: string): Promise<void> {
  const counts: number[] = [];
  for (const first of firsts) {
    const { ran, failed } = await runSeeds(explorer, first, most, name);
    if (failed !== undefined) counts.push(ran);
  }
  if (counts.length < firsts.length) isMissed = true;
  counts.sort((one, other) => one - other);
  const median = counts[Math.floor(firsts.length / 2)] ?? "-";
  console.log(`| ${name} | ${explorer} | ${counts.length} of ${firsts.length} | ${median} | ${counts.at(-1) ?? "-"} |`);
}

console.log("| Guard taken out | Found by | Found | Median of schedules | Most |\n|---|---|---|---|---|");
const bugs = { simulator: simulatorBugs, interleavings: interleavingBugs };
for (const explorer of ["simulator", "interleavings"] as const)
  for (const name of Object.keys(bugs[explorer]))
    if (selected.length === 0 || selected.includes(name)) await report(explorer, name);
process.exitCode = isMissed ? 1 : 0;
