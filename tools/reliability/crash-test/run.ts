// Kills the platform under load and shows that no event is lost:
//   npm run torture -- --store pglite --kills 50
//   npm run torture -- --store postgres --processes 2 --kills 50
//   npm run torture -- --store postgres --processes 2 --restarts 20
//   npm run torture -- --store postgres --processes 2 --kills 20 --stalls 10
//   npm run torture -- --store postgres --processes 3 --kills 0 --turnover-seconds 5 --seconds 300
// Shows that it finds mutated requests, and bugs in the platform's outbox:
//   npm run torture -- --sabotage lose,reorder
//   npm run torture -- --store postgres --processes 2 --stalls 3 --sabotage fence
// Exits with 1 when it found a fault, with 2 when the arguments are wrong or this machine has no such store.
import { parseArgs } from "node:util";
import { crashTest } from "./crash-test.ts";
import { NoStoreError } from "./data-location.ts";
import { trafficMutations } from "./inject/mutate-traffic.ts";
import { platformBugs } from "./inject/platform-bug.ts";

const { values } = parseArgs({
  options: {
    /** pglite, one process on a folder; or postgres, any number on a database of their own at DATABASE_URL or 127.0.0.1:5432. */
    store: { type: "string", default: "pglite" },
    /** How often a process is killed with kill -9. @default 10, or 0 with --restarts, --stalls or --sabotage */
    kills: { type: "string" },
    /** How often PostgreSQL is restarted in immediate mode: a cluster of the run's own. */
    restarts: { type: "string", default: "0" },
    /** How often a process is stopped with SIGSTOP for longer than its lease, and continues. */
    stalls: { type: "string", default: "0" },
    /** Every so many seconds a process is killed or asked to end, and another one starts; 0 for never. */
    "turnover-seconds": { type: "string", default: "0" },
    processes: { type: "string", default: "1" },
    /** The least duration of the load; it goes on until the last kill. */
    seconds: { type: "string", default: "10" },
    /** Changes a second. */
    rate: { type: "string", default: "60" },
    "drain-seconds": { type: "string", default: "60" },
    /** A comma-separated list of traffic mutations and platform bugs. */
    sabotage: { type: "string", default: "" },
  },
});

const refuse = (reason: string): never => {
  console.error(reason);
  process.exit(2);
};
const killsByDefault = values.restarts === "0" && values.stalls === "0" && values.sabotage === "" ? "10" : "0";
const numberOf = (name: Exclude<keyof typeof values, "store" | "sabotage">, least: number): number => {
  const text = values[name] ?? killsByDefault;
  return /^\d{1,6}$/.test(text) && Number(text) >= least ? Number(text) : refuse(`--${name} is a number from ${least}`);
};

const store =
  values.store === "pglite" || values.store === "postgres" ? values.store : refuse("--store is pglite or postgres");
const [kills, restarts, processes] = [numberOf("kills", 0), numberOf("restarts", 0), numberOf("processes", 1)];
if (store === "pglite" && processes > 1) refuse("PGlite serves one process; more need --store postgres");
if (store === "pglite" && restarts > 0) refuse("PGlite has no server to restart; --restarts needs --store postgres");
const injected = values.sabotage.split(",").filter((text) => text !== "");
const known: readonly string[] = [...trafficMutations, ...platformBugs];
if (injected.some((text) => !known.includes(text))) refuse(`--sabotage takes ${known.join(", ")}`);

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupted.abort());
try {
  const { verdict, servedAtOnce, drainedSeconds, faults, errors } = await crashTest({
    store,
    kills,
    restarts,
    processes,
    stalls: numberOf("stalls", 0),
    turnoverSeconds: numberOf("turnover-seconds", 0),
    seconds: numberOf("seconds", 1),
    rate: numberOf("rate", 1),
    drainSeconds: numberOf("drain-seconds", 1),
    trafficMutations: trafficMutations.filter((name) => injected.includes(name)),
    platformBugs: platformBugs.filter((name) => injected.includes(name)),
    onProgress: (line) => console.log(line),
    signal: interrupted.signal,
  });
  for (const line of errors) console.log(`the platform logged ${line}`);
  for (const fault of faults) console.log(`WRONG: ${fault}`);
  const { acked, delivered, lost, duplicated, reordered, pending, leasedAtOnce, takeovers } = verdict;
  const atOnce = `at once at one endpoint ${leasedAtOnce} leased, ${servedAtOnce} served`;
  const [median, worst] = [takeovers[Math.floor(takeovers.length / 2)], takeovers.at(-1)].map(
    (each) => `${((each?.ms ?? 0) / 1_000).toFixed(1)} s`,
  );
  const takeover = `${takeovers.length} takeovers${takeovers.length > 0 ? `, median ${median}, worst ${worst}` : ""}`;
  console.log(
    `acked ${acked}, delivered ${delivered}, lost ${lost}, duplicated ${duplicated}, reordered ${reordered}, ` +
      `pending ${pending}, ${atOnce}, ${takeover}, drained in ${drainedSeconds.toFixed(1)} s`,
  );
  process.exitCode = faults.length > 0 ? 1 : 0;
} catch (error) {
  if (interrupted.signal.aborted) console.error("interrupted");
  else console.error(error instanceof NoStoreError ? error.message : error);
  process.exitCode = interrupted.signal.aborted ? 130 : error instanceof NoStoreError ? 2 : 1;
}
