import { setTimeout as sleep } from "node:timers/promises";
import { disturb } from "./disturb.ts";
import { judge, type Verdict } from "./judge.ts";
import type { StoreName } from "./place.ts";
import type { Sabotage } from "./sabotage.ts";
import { type Closer, setStage } from "./set-stage.ts";

export interface TortureOptions {
  store: StoreName;
  /** How often a process of the platform is killed. */
  kills: number;
  /** How often the database is restarted as after a crash. */
  restarts: number;
  processes: number;
  /** For how long there is load, at least. */
  seconds: number;
  /** Changes a second. */
  rate: number;
  /** How long what is left may take when all faults are over. */
  drainSeconds: number;
  sabotages: readonly Sabotage[];
  onProgress: (line: string) => void;
  /** Ends the run at once. */
  signal: AbortSignal;
}

export interface TortureReport {
  verdict: Verdict;
  drainedSeconds: number;
  /** What went wrong, in words; empty when nothing did. */
  faults: string[];
  /** The errors that the platform logged: what it lived through. */
  errors: string[];
}

/** What a request that is asked again and again may take once every process is up. */
const patienceMs = 30_000;
const progressMs = 5_000;
const pollMs = 200;
/** When so long nothing has come, nothing comes any more: longer than the longest pause between attempts. */
const quietMs = 2_500;
const maxDuplicatedShare = 0.05;
/** A short run has too few deliveries for a share to mean anything. */
const minDuplicatedLimit = 100;

/** Puts the platform under load and kills it again and again, and compares what it acked with what it delivered. */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const limitSeconds = 180 + options.seconds + options.drainSeconds + 30 * (options.kills + options.restarts);
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

async function run(options: TortureOptions, closers: Closer[]): Promise<TortureReport> {
  const { kills, restarts, seconds, drainSeconds, onProgress, signal } = options;
  const { place, receiver, fleet, load, wrongAnswers } = await setStage(options, closers);
  onProgress(`${options.processes} on ${place.title}, ${kills} kills and ${restarts} restarts to come`);

  const done = { kill: 0, restart: 0 };
  const verdictNow = (): Verdict => judge(load.changes, receiver.receipts);
  const secondsSince = (since: number): number => (performance.now() - since) / 1_000;
  const startedAt = performance.now();
  const progress = setInterval(() => {
    const { acked, lost, duplicated } = verdictNow();
    const events = `${acked} acked, ${lost} under way, ${duplicated} duplicated`;
    onProgress(`${Math.round(secondsSince(startedAt))} s: ${done.kill} kills, ${done.restart} restarts, ${events}`);
  }, progressMs);
  closers.push(async () => clearInterval(progress));

  const disturbing = disturb({
    ...{ fleet, kills, restarts, restart: place.restart, signal },
    progress: () => ({
      acked: load.changes.filter(({ isAcked }) => isAcked).length,
      delivered: new Set(receiver.receipts.map(({ deliveryId }) => deliveryId)).size,
    }),
    onDone(what) {
      done[what] += 1;
    },
  });
  await Promise.all([disturbing, sleep(1_000 * seconds, undefined, { signal })]);

  // The last process killed has yet to start again: that is part of the drain.
  const calmAt = performance.now();
  receiver.behave();
  onProgress("the faults are over");
  const givenUp = await load.stop(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
  while (verdictNow().lost > 0 && secondsSince(calmAt) < drainSeconds) await sleep(pollMs, undefined, { signal });
  const drainedSeconds = secondsSince(calmAt);
  for (let seen = -1; seen < receiver.receipts.length; await sleep(quietMs, undefined, { signal }))
    seen = receiver.receipts.length;
  clearInterval(progress);
  await fleet.stop();

  const verdict = verdictNow();
  const refused = [...receiver.refused].map(([reason, times]) => `the receiver refused ${times} requests: ${reason}`);
  const unanswered = `${givenUp} requests were not answered well within ${patienceMs / 1_000} s`;
  const faults = [
    ...faultsOf(verdict),
    ...fleet.faults,
    ...wrongAnswers,
    ...refused,
    ...(givenUp > 0 ? [unanswered] : []),
  ];
  return { verdict, drainedSeconds, faults, errors: fleet.errors.lines };
}

function faultsOf({ acked, delivered, lost, duplicated, reordered, invented, examples }: Verdict): string[] {
  const mayBeDuplicated = Math.max(minDuplicatedLimit, maxDuplicatedShare * delivered);
  return [
    ...(acked === 0 ? ["nothing was acked, so nothing is shown"] : []),
    ...(lost > 0 ? [`${lost} acked events were never delivered`] : []),
    ...(reordered > 0 ? [`${reordered} events came before an earlier one, or again after a later one`] : []),
    ...(invented > 0 ? [`${invented} delivery ids are more than one for an event, or for none`] : []),
    ...(duplicated > mayBeDuplicated ? [`${duplicated} duplicates are more than ${mayBeDuplicated}`] : []),
    ...examples,
  ];
}
