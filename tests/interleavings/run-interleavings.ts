// Interleaves the statements of several processes on PostgreSQL. Stops at the first order that breaks the contract:
//   npm run check -- interleavings
//   --seed 7            the first seed, instead of a random one
//   --count 1000        how many seeds
//   --scenario feeds    only this scenario, instead of all of them in turn
//   --trace             prints each statement
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { Fixture, Postgres } from "./fixture.ts";
import { scenarioOrder, scenarios } from "./scenarios.ts";

const { values: flags } = parseArgs({
  options: {
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    count: { type: "string", default: "1000" },
    scenario: { type: "string" },
    trace: { type: "boolean" },
  },
});

const postgres = await Postgres.open();
const names = scenarioOrder.filter((name) => flags.scenario === undefined || name === flags.scenario);
const first = Number(flags.seed);
const startedAt = performance.now();
const totals = { ran: 0, steps: 0 };
const fingerprints = { first: 0, last: 0 };
let failed: { seed: number; scenario: string; violations: readonly string[] } | undefined;
try {
  for (let seed = first; seed < first + Number(flags.count) && failed === undefined; seed += 1) {
    const name = names[seed % names.length];
    if (name === undefined) throw new Error("invalid --seed or --scenario");
    const fixture = await Fixture.prepare(postgres, seed);
    if (flags.trace) fixture.interleaving.onStep = console.log;
    await scenarios[name](fixture).catch((error: unknown) =>
      fixture.interleaving.violations.push(`error outside the actors: ${error}`),
    );
    const { violations, steps } = fixture.interleaving;
    fingerprints.last = fixture.interleaving.fingerprint;
    if (seed === first) fingerprints.first = fingerprints.last;
    totals.ran += 1;
    totals.steps += steps;
    if (violations.length > 0) failed = { seed, scenario: name, violations: [...new Set(violations)] };
    if (totals.ran % 1_000 === 0)
      console.error(
        `${totals.ran} schedules, ${((totals.ran * 1_000) / (performance.now() - startedAt)).toFixed(1)} a second`,
      );
  }
} finally {
  await postgres.close();
}
const seconds = (performance.now() - startedAt) / 1_000;
console.log(JSON.stringify({ first, ...totals, seconds, fingerprints, failed }));
process.exit(failed === undefined ? 0 : 1);
