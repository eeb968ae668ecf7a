import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../../examples/platform/src/store/open-store.ts";
import type { Store } from "../../../examples/platform/src/store/store.ts";
import type { DataLocation } from "./data-location.ts";
import type { Fleet } from "./fleet.ts";
import { type Failure, injectFailures, turnOver } from "./inject-failures.ts";
import { type Closer, type CrashTestOptions, setup, withStore } from "./setup.ts";
import { readLeaseHistory } from "./verify/lease-history.ts";
import { type Verdict, verifyHistory } from "./verify/verify-history.ts";
import {
  countPending,
  countUnleased,
  explainPending,
  mostAtOnce,
  perEndpoint,
  type StoreVerdict,
  type TimeSpan,
  takeoversOf,
} from "./verify/verify-store.ts";
import { watchLanes } from "./verify/watch-lanes.ts";

export interface CrashTestReport {
  verdict: Verdict & StoreVerdict;
  /** The most requests that one organisation had to serve at once. */
  servedAtOnce: number;
  drainedSeconds: number;
  /** Empty when the run passed. */
  faults: string[];
  /** The errors that the platform logged. */
  errors: string[];
}

/** What a request with its retries may take once every process is up. */
const patienceMs = 30_000;
const progressMs = 5_000;
const pollMs = 200;
/** Without a request for so long none is to come: longer than the longest retry delay. */
const quietMs = 2_500;
const maxDuplicatedShare = 0.02;
/** A short run has too few deliveries for a share to mean anything. */
const minDuplicatedLimit = 100;
/** A lease of 4 s, the time to see that it has ended, and the claim. */
const maxTakeoverMs = 5_000;

/** Puts the platform under load and kills it again and again, and compares what it acked with what it delivered. */
export async function crashTest(options: CrashTestOptions): Promise<CrashTestReport> {
  const limitSeconds =
    180 + options.seconds + options.drainSeconds + 30 * (options.kills + options.restarts + options.stalls);
  const overdue = AbortSignal.timeout(1_000 * limitSeconds);
  const closers: Closer[] = [];
  try {
    return await run({ ...options, signal: AbortSignal.any([options.signal, overdue]) }, closers);
  } catch (error) {
    if (overdue.aborted) throw new Error(`the run was not over after ${limitSeconds} s`, { cause: error });
    throw error;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function run(options: CrashTestOptions, closers: Closer[]): Promise<CrashTestReport> {
  const { kills, restarts, stalls, turnoverSeconds, seconds, drainSeconds, onProgress, signal } = options;
  const { location, receiver, fleet, load, wrongResponses } = await setup(options, closers);
  onProgress(
    `${options.processes} on ${location.title}, ${kills} kills, ${stalls} stalls and ${restarts} restarts to come`,
  );

  const done: Record<Failure, number> = { kill: 0, restart: 0, stall: 0, turnover: 0 };
  const onDone = (what: Failure): void => {
    done[what] += 1;
  };
  const verdictNow = (): Verdict => verifyHistory(load.changes, receiver.receipts);
  const secondsSince = (since: number): number => (performance.now() - since) / 1_000;
  const startedAt = performance.now();
  const progress = setInterval(() => {
    const { acked, lost, duplicated } = verdictNow();
    const events = `${acked} acked, ${lost} under way, ${duplicated} duplicated`;
    const interruptions = `${done.kill + done.turnover} ends, ${done.stall} stalls, ${done.restart} restarts`;
    onProgress(`${Math.round(secondsSince(startedAt))} s: ${interruptions}, ${events}`);
  }, progressMs);
  closers.push(async () => clearInterval(progress));

  const outages: TimeSpan[] = [];
  const store = await openBeside(location, closers);
  const lanes = store && watchLanes(store, () => [...fleet.outages, ...outages]);
  closers.push(async () => lanes?.stop());
  const injecting = injectFailures({
    fleet,
    processes: options.processes,
    kills,
    restarts,
    stalls,
    signal,
    restart: location.restart && (() => during(outages, location.restart)),
    progress: () => ({
      acked: load.changes.filter(({ isAcked }) => isAcked).length,
      delivered: new Set(receiver.receipts.map(({ deliveryId }) => deliveryId)).size,
    }),
    onDone,
  });
  const turning = turnOver({ fleet, everySeconds: turnoverSeconds, seconds, onDone, signal });
  await Promise.all([injecting, turning, sleep(1_000 * seconds, undefined, { signal })]);

  // The last process killed has yet to start again: that is part of the drain.
  const calmAt = performance.now();
  receiver.behave();
  onProgress("the faults are over");
  const givenUp = await load.stop(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
  await fleet.allAtWork();
  const isDrained = async (): Promise<boolean> =>
    verdictNow().lost === 0 && (store === undefined || totalOf(await countPending(store)) === 0);
  while (!(await isDrained()) && secondsSince(calmAt) < drainSeconds) await sleep(pollMs, undefined, { signal });
  const drainedSeconds = secondsSince(calmAt);
  for (let seen = -1; seen < receiver.receipts.length; await sleep(quietMs, undefined, { signal }))
    seen = receiver.receipts.length;
  clearInterval(progress);
  const why = store === undefined ? [] : await explainPending(store);
  const waiting = (await lanes?.stop()) ?? [];
  await fleet.stop();

  const verdict = {
    ...verdictNow(),
    ...(await withStore(location, (store) => verifyStore(store, options, fleet, outages))),
  };
  const servedAtOnce = receiver.mostAtOnce;
  const faults = [
    ...faultsOf(verdict, servedAtOnce),
    ...why,
    ...waiting,
    ...fleet.faults,
    ...wrongResponses,
    ...[...receiver.refused].map(([reason, times]) => `the receiver refused ${times} requests: ${reason}`),
    ...(givenUp > 0 ? [`${givenUp} requests had no success within ${patienceMs / 1_000} s`] : []),
  ];
  return { verdict, servedAtOnce, drainedSeconds, faults, errors: fleet.errors.lines };
}

async function during(spans: TimeSpan[], restart: DataLocation["restart"]): Promise<void> {
  const from = Date.now();
  await restart?.();
  spans.push({ from, to: Date.now() });
}

/** The store while the platform is at work; PGlite serves that alone. */
async function openBeside({ options }: DataLocation, closers: Closer[]): Promise<Store | undefined> {
  if (options.databaseUrl === undefined) return undefined;
  const store = await openStore(options);
  closers.push(() => store.close());
  return store;
}

async function verifyStore(
  store: Store,
  { processes }: CrashTestOptions,
  { interruptions, outages }: Fleet,
  restarts: readonly TimeSpan[],
): Promise<StoreVerdict> {
  const leases = await readLeaseHistory(store);
  const pending = await countPending(store);
  return {
    pending: totalOf(pending),
    pendingKinds: [...pending].filter(([, rows]) => rows > 0).map(([kind, rows]) => `${rows} ${kind}`),
    unleased: await countUnleased(store),
    leasedAtOnce: mostAtOnce(leases, "webhooks"),
    takeovers: processes > 1 ? takeoversOf(leases, interruptions, [...outages, ...restarts]) : [],
  };
}

const totalOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, rows) => sum + rows, 0);

function faultsOf(verdict: CrashTestReport["verdict"], servedAtOnce: number): string[] {
  const { acked, delivered, lost, duplicated, reordered, invented, examples } = verdict;
  const { pending, pendingKinds, unleased, leasedAtOnce, takeovers } = verdict;
  const maxDuplicated = Math.max(minDuplicatedLimit, maxDuplicatedShare * delivered);
  const late = takeovers.filter(({ ms }) => ms > maxTakeoverMs);
  const checks: [isWrong: boolean, fault: string][] = [
    [acked === 0, "nothing was acked, so nothing is shown"],
    [lost > 0, `${lost} acked events were never delivered`],
    [reordered > 0, `${reordered} events came before an earlier one, or again after a later one`],
    [invented > 0, `${invented} delivery ids are more than one for an event, or for none`],
    [duplicated > maxDuplicated, `${duplicated} duplicates are more than ${maxDuplicated}`],
    [pending > 0, `${pendingKinds.join(", ")} are left pending in the store`],
    [unleased > 0, `${unleased} attempts were stored by a process whose lease was gone`],
    [
      leasedAtOnce > perEndpoint,
      `${leasedAtOnce} deliveries of one endpoint were leased at once, more than ${perEndpoint}`,
    ],
    [
      servedAtOnce > perEndpoint,
      `${servedAtOnce} requests of one organisation were under way at once, more than ${perEndpoint}`,
    ],
  ];
  return [
    ...checks.flatMap(([isWrong, fault]) => (isWrong ? [fault] : [])),
    ...late.map(({ ms, last }) => `others took over after ${Math.round(ms)} ms, later than ${maxTakeoverMs}: ${last}`),
    ...examples,
  ];
}
