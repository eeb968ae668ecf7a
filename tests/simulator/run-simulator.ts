// Runs scenarios of the delivery core. Stops at the first one that breaks the contract: npm run check -- simulator
//   --seed 7        the first seed, instead of a random one
//   --count 1000    how many seeds
//   --shorten       shrinks a failing scenario
//   --trace         prints each step
import { randomInt } from "node:crypto";
import { constants, setPriority } from "node:os";
import { parseArgs } from "node:util";
import { loadKitFromSource } from "../kit-from-source.ts";
import { createScenario, shrink } from "./scenario.ts";

const { values: flags } = parseArgs({
  options: {
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    count: { type: "string", default: "10000" },
    shorten: { type: "boolean" },
    trace: { type: "boolean" },
  },
});
loadKitFromSource();
// The simulator uses virtual time, so it yields the processor to concurrent tests that use real time.
setPriority(constants.priority.PRIORITY_LOW);
// Import the simulator after the hooks are registered.
const { Simulator } = await import("./simulator.ts");

const simulator = await Simulator.open();
const first = Number(flags.seed);
const startedAt = performance.now();
const totals = { ran: 0, steps: 0, virtualMs: 0, sent: 0 };
const fingerprints = { first: 0, last: 0 };
let failed: { seed: number; violations: readonly string[] } | undefined;
for (let seed = first; seed < first + Number(flags.count) && failed === undefined; seed += 1) {
  const result = await simulator.run(createScenario(seed), flags.trace ? console.log : undefined);
  fingerprints.last = result.fingerprint;
  if (seed === first) fingerprints.first = result.fingerprint;
  totals.ran += 1;
  totals.steps += result.steps;
  totals.virtualMs += result.virtualMs;
  totals.sent += result.sent;
  if (result.violations.length > 0) failed = { seed, violations: result.violations };
  if (totals.ran % 1_000 === 0)
    console.error(
      `${totals.ran} scenarios, ${((totals.ran * 1_000) / (performance.now() - startedAt)).toFixed(1)} a second`,
    );
}
const seconds = (performance.now() - startedAt) / 1_000;
const shorter =
  failed &&
  flags.shorten &&
  (await shrink(
    createScenario(failed.seed),
    async (scenario) => (await simulator.run(scenario)).violations.length > 0,
  ));
console.log(JSON.stringify({ first, ...totals, seconds, fingerprints, failed, shorter: shorter || undefined }));
process.exit(failed === undefined ? 0 : 1);
