// Kills the platform under load and shows that no event is lost:
//   npm run crash-test -- --store pglite --kills 50
//   npm run crash-test -- --store postgres --processes 2 --kills 50
//   npm run crash-test -- --store postgres --processes 2 --restarts 20
//   npm run crash-test -- --store postgres --processes 2 --kills 20 --stalls 10
// Shows that it would find out, of what is tampered with on the way, and of a platform whose outbox is broken:
//   npm run crash-test -- --inject lose,reorder
//   npm run crash-test -- --store postgres --processes 2 --stalls 3 --inject fence
// Ends with 1 when something is wrong, with 2 when there is no such store here.
import { parseArgs } from "node:util";
import { crashTest } from "./crash-test.ts";
import { NoStoreError } from "./data-location.ts";
import { type TrafficMutation, trafficMutations } from "./mutate-traffic.ts";
import { type PlatformBug, platformBugs } from "./platform-bug.ts";

const { values } = parseArgs({
  options: {
    /** pglite, one process on a folder; or postgres, any number on a database of their own at DATABASE_URL or 127.0.0.1:5432. */
    store: { type: "string", default: "pglite" },
    /** How often a process is killed with kill -9; default ten times, or never where something else is asked for. */
    kills: { type: "string" },
    /** How often PostgreSQL is restarted in immediate mode: a cluster of the run's own. */
    restarts: { type: "string", default: "0" },
    /** How often a process is stopped with SIGSTOP for longer than its lease, and goes on. */
    stalls: { type: "string", default: "0" },
    processes: { type: "string", default: "1" },
    /** For how long there is load, at least; it goes on until the last kill. */
    seconds: { type: "string", default: "10" },
    /** Changes a second. */
    rate: { type: "string", default: "60" },
    "drain-seconds": { type: "string", default: "60" },
    /** A comma-separated list of: lose, reorder, repeat, rename; or of what breaks the platform: fence, release, cap, wakeup. */
    inject: { type: "string", default: "" },
  },
});

const refuse = (reason: string): never => {
  console.error(reason);
  process.exit(2);
};
const isQuiet = values.restarts === "0" && values.stalls === "0" && values.inject === "";
const numberOf = (
  name: "kills" | "restarts" | "stalls" | "processes" | "seconds" | "rate" | "drain-seconds",
  least: number,
) => {
  const text = values[name] ?? (isQuiet ? "10" : "0");
  return /^\d{1,6}$/.test(text) && Number(text) >= least ? Number(text) : refuse(`--${name} is a number from ${least}`);
};
const isTrafficMutation = (text: string): text is TrafficMutation => trafficMutations.some((known) => known === text);
const isPlatformBug = (text: string): text is PlatformBug => platformBugs.some((known) => known === text);

const store =
  values.store === "pglite" || values.store === "postgres" ? values.store : refuse("--store is pglite or postgres");
const [kills, restarts, processes] = [numberOf("kills", 0), numberOf("restarts", 0), numberOf("processes", 1)];
if (store === "pglite" && processes > 1) refuse("PGlite serves one process; more need --store postgres");
if (store === "pglite" && restarts > 0) refuse("PGlite has no server to restart; --restarts needs --store postgres");
const named = values.inject.split(",").filter((text) => text !== "");
if (named.some((text) => !isTrafficMutation(text) && !isPlatformBug(text)))
  refuse(`--inject knows ${[...trafficMutations, ...platformBugs].join(", ")}`);

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupted.abort());
try {
  const { verdict, servedAtOnce, drainedSeconds, faults, errors } = await crashTest({
    store,
    kills,
    restarts,
    stalls: numberOf("stalls", 0),
    processes,
    seconds: numberOf("seconds", 1),
    rate: numberOf("rate", 1),
    drainSeconds: numberOf("drain-seconds", 1),
    trafficMutations: named.filter(isTrafficMutation),
    platformBugs: named.filter(isPlatformBug),
    onProgress: (line) => console.log(line),
    signal: interrupted.signal,
  });
  for (const line of errors) console.log(`the platform logged ${line}`);
  for (const fault of faults) console.log(`WRONG: ${fault}`);
  const { acked, delivered, lost, duplicated, reordered, pending, leasedAtOnce, takeovers } = verdict;
  const crowd = `at once at one endpoint ${leasedAtOnce} leased, ${servedAtOnce} served`;
  const [median, worst] = [takeovers[Math.floor(takeovers.length / 2)], takeovers.at(-1)].map(
    (each) => `${((each?.ms ?? 0) / 1_000).toFixed(1)} s`,
  );
  const takeover = `${takeovers.length} takeovers${takeovers.length > 0 ? `, median ${median}, worst ${worst}` : ""}`;
  console.log(
    `acked ${acked}, delivered ${delivered}, lost ${lost}, duplicated ${duplicated}, reordered ${reordered}, ` +
      `pending ${pending}, ${crowd}, ${takeover}, drained in ${drainedSeconds.toFixed(1)} s`,
  );
  process.exitCode = faults.length > 0 ? 1 : 0;
} catch (error) {
  if (interrupted.signal.aborted) console.error("interrupted");
  else console.error(error instanceof NoStoreError ? error.message : error);
  process.exitCode = interrupted.signal.aborted ? 130 : error instanceof NoStoreError ? 2 : 1;
}
