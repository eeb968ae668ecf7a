// Kills the platform under load, and checks that no acknowledged change is lost, reordered or left undelivered:
//   npm run check -- crash-test --store pglite --kills 30
//   npm run check -- crash-test --store postgres --processes 3 --kills 30 --stalls 5
// Exits with 1 if it finds a fault.
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { listen } from "../../scripts/processes/listen.ts";
import { Fleet } from "./fleet.ts";
import { verifyHistory } from "./history.ts";
import { Load, organisations, seed } from "./load.ts";
import { Receiver } from "./receiver.ts";

const { values } = parseArgs({
  options: {
    /** `pglite`, which serves only one process, or `postgres`, which uses a new database at DATABASE_URL or 127.0.0.1:5432. */
    store: { type: "string", default: "pglite" },
    processes: { type: "string", default: "1" },
    /** How many times a process is killed with SIGKILL. */
    kills: { type: "string", default: "10" },
    /** How many times a process is stopped with SIGSTOP for longer than its lease. */
    stalls: { type: "string", default: "0" },
    /** Changes per second. */
    rate: { type: "string", default: "60" },
  },
});
const { store } = values;
const [processes, kills, stalls, rate] = [values.processes, values.kills, values.stalls, values.rate].map(Number);
if (!processes || !rate || kills === undefined || stalls === undefined || Number.isNaN(kills + stalls))
  throw new Error("--processes, --kills, --stalls and --rate must be numbers.");
if (store !== "pglite" && store !== "postgres") throw new Error("--store must be pglite or postgres.");
if (store === "pglite" && processes > 1)
  throw new Error("PGlite serves only one process. Use --store postgres for more.");

/** How long a process is stalled: longer than a lease, which lasts 4 s. */
const stallMs = { min: 5_000, extra: 2_000 };
/** How many events are delivered, on average, between two failures. With fewer, the run would mostly test startup. */
const deliveriesPerFailure = 100;
/** How long to wait for these deliveries before the next failure. */
const maxWaitMs = 15_000;
/** How long the platform may take to complete all deliveries after the last failure. */
const drainMs = 60_000;
/** Longer than the longest retry delay: after this long without a request, no more requests will arrive. */
const quietMs = 2_500;
/** The limit on concurrent attempts per endpoint (D-33). */
const maxAttemptsPerEndpoint = 8;

const receiver = new Receiver(organisations);
const { address, close } = await listen(receiver.listener);
const fleet = await Fleet.start(store, processes, seed);
const load = new Load(() => fleet.addresses);
await load.start(address, rate);
console.log(`Processes on ${store}: ${processes}. Planned: ${kills} kills, ${stalls} stalls.`);

/** The planned failures, in random order. */
const failures = [...Array(kills).fill("kill"), ...Array(stalls).fill("stall")].sort(() => Math.random() - 0.5);
for (const [index, failure] of failures.entries()) {
  const targetCount = receiver.receipts.length + deliveriesPerFailure * (0.5 + Math.random());
  const overdueAt = performance.now() + maxWaitMs;
  do {
    await pause(200);
  } while (receiver.receipts.length < targetCount && performance.now() < overdueAt);
  if (failure === "kill") await fleet.replaceProcess();
  else fleet.stallProcess(stallMs.min + stallMs.extra * Math.random());
  const { acked, lost } = verifyHistory(load.changes, receiver.receipts);
  if (index % 5 === 4) console.log(`${index + 1} failures: ${acked} acknowledged, ${lost} of them in flight`);
}

await fleet.waitForStalls();
receiver.isFaulty = false;
await load.stop();
const faultsEndedAt = performance.now();
while ((await load.countPending()) > 0 && performance.now() - faultsEndedAt < drainMs) await pause(200);
let receiptCount: number;
do {
  receiptCount = receiver.receipts.length;
  await pause(quietMs);
} while (receiver.receipts.length > receiptCount);
const pending = await load.countPending();
await fleet.stop();
await close();

const verdict = verifyHistory(load.changes, receiver.receipts);
const { acked, delivered, lost, reordered, duplicated, invented } = verdict;
const checks: [hasFault: boolean, fault: string][] = [
  [acked === 0, "nothing was acknowledged, so this run proves nothing"],
  [lost > 0, `${lost} acknowledged changes were never delivered`],
  [reordered > 0, `${reordered} changes were delivered before an earlier one, or again after a later one`],
  [invented > 0, `${invented} deliveries belong to no change`],
  [pending > 0, `${pending} deliveries are still pending`],
  // Other processes repeat the attempts that a killed or stalled process left behind.
  [
    failures.length === 0 && receiver.maxInFlight > maxAttemptsPerEndpoint,
    `${receiver.maxInFlight} concurrent attempts at one endpoint`,
  ],
];
const faults = [
  ...checks.filter(([hasFault]) => hasFault).map(([, fault]) => fault),
  ...verdict.examples,
  ...fleet.faults,
  ...load.faults,
  ...[...receiver.rejected].map(([code, times]) => `the receiver rejected ${times} requests: ${code}`),
];
for (const fault of faults) console.log(`WRONG: ${fault}`);
const share = ((100 * duplicated) / Math.max(1, delivered)).toFixed(2);
console.log(
  `acknowledged ${acked}, delivered ${delivered}, lost ${lost}, reordered ${reordered}, duplicated ${duplicated} (${share} %), pending ${pending}`,
);
process.exitCode = faults.length > 0 ? 1 : 0;
