import { setImmediate } from "node:timers/promises";
import type { Signals } from "../store/signals.ts";
import type { Store, Trx } from "../store/store.ts";
import { claimRows } from "./claim.ts";
import { GroupCommit } from "./group-commit.ts";
import type { Leases } from "./leases.ts";
import type { Lease, OutboxQueue } from "./queue.ts";
import { type Loop, runLoop } from "./timers.ts";

/** A row with the lease that this process holds on it. */
export interface Leased<Row> {
  lease: Lease;
  row: Row;
}

/** A row with the result of one attempt. */
export interface Attempted<Row, Result> extends Leased<Row> {
  result: Result;
}

export interface DispatcherOptions<Row, Result> {
  store: Store;
  leases: Leases;
  /** Wakes the dispatcher after the commits of all processes. Without it, only the caller's `wake` does. */
  signals?: Pick<Signals, "subscribe"> | undefined;
  queue: OutboxQueue;
  /** The maximum number of rows that this process attempts concurrently. */
  maxInFlight: number;
  /** Loads claimed rows, keyed by `rowId`. Leaves out rows whose lane has closed since the claim; their leases are released. */
  load(claimed: readonly Lease[]): Promise<ReadonlyMap<number, Row>>;
  /**
   * @param isHeld whether the row's lease has lasted until now
   * @returns undefined to release the row, which is then claimed again, by another process if this one stops
   */
  attempt(row: Row, isHeld: () => boolean): Promise<Result | undefined>;
  /**
   * Stores the results of a group. Must start with `endLeases`, which wakes the lanes, and settle only the rows that it returns as
   * held: set each row's `due_at` to null or to a later time, for which the next claim plans a wake-up.
   *
   * @returns a function that is called after the commit, to report it
   */
  settle(trx: Trx, attempted: readonly Attempted<Row, Result>[]): Promise<() => void>;
  /** How long storing a group is retried, in milliseconds. @default 10_000 */
  settleLimitMs?: number;
  onError: (error: unknown) => void;
}

/** The maximum number of rows in one claim or commit. On PGlite, a request that creates an offer waits for each of their statements. */
const batchSize = 100;
/**
 * How long to wait before a commit, so that results that arrive meanwhile share one transaction.
 */
const storeDelayMs = 5;
/** How many groups are settled concurrently. PGlite has one connection. */
const maxConcurrentCommits = { postgres: 2, pglite: 1 };
/**
 * The longest pause between two claims. Usually a signal ends the pause, but the process that should publish it may crash after
 * its commit. On PGlite, there is only this process.
 */
const maxIdleMs = { postgres: 5_000, pglite: 60_000 };
/** How often a busy process checks for expired leases. A process that pauses knows when the first lease will expire. */
const expiryPollMs = 500;
/** The shortest pause after a claim that found no lane: nothing is due, or other processes are claiming from all due lanes. */
const busyPauseMs = 5;

/**
 * Processes the rows of a queue until it is stopped: claims due rows, attempts each, and settles them in groups. Sleeps until the
 * next row is due, or until a signal of the queue's topics. Each row is attempted at least once; if its result could not be
 * stored, it is attempted again.
 */
export function startDispatcher<Row, Result>(options: DispatcherOptions<Row, Result>): Loop {
  const { store, leases, queue, maxInFlight, onError } = options;
  const inFlight = new Map<number, Promise<void>>();
  /** Whether the store may contain leases of this process on rows that it is not attempting. */
  let hasStrayLeases = false;
  const reportError = (error: unknown): void => {
    hasStrayLeases = true;
    onError(error);
  };

  const settling = new GroupCommit<Attempted<Row, Result>>({
    async commit(attempted) {
      const report = await store.transaction((trx) => options.settle(trx, attempted));
      report();
    },
    maxGroup: batchSize,
    maxConcurrent: maxConcurrentCommits[store.name],
    delayMs: storeDelayMs,
    onError,
    giveUpAfterMs: options.settleLimitMs ?? 10_000,
  });

  const work = async (leased: Leased<Row>, isHeld: () => boolean, turn: Promise<unknown>): Promise<void> => {
    await turn;
    // After a stall, another process may already have attempted this row and the rows after it.
    const result = isHeld() ? await options.attempt(leased.row, isHeld) : undefined;
    if (result === undefined || !(await settling.add({ ...leased, result }))) hasStrayLeases = true;
  };

  const start = (leased: Leased<Row>, isHeld: () => boolean, turn: Promise<unknown>): void => {
    const working = leases
      .during(() => work(leased, isHeld, turn))
      .catch(reportError)
      .finally(() => {
        inFlight.delete(leased.lease.token);
        loop.wake();
      });
    inFlight.set(leased.lease.token, working);
  };

  const tick = async (): Promise<number> => {
    const room = maxInFlight - inFlight.size;
    if (room <= 0) return Number.POSITIVE_INFINITY;
    await releaseLeases();
    const limit = Math.min(room, batchSize);
    const claimed = await claimRows(store, leases, queue, limit);
    if (claimed !== undefined && claimed.length > 0) await startAttempts(claimed);
    if (claimed?.length === limit || hasStrayLeases) return 0;
    const pause = await pauseMs();
    return claimed === undefined ? Math.max(busyPauseMs, pause) : pause;
  };

  const startAttempts = async (claimed: readonly Lease[]): Promise<void> => {
    const isHeld = leases.watch();
    const rows = await options.load(claimed);
    // Attempts start in the next turn of the event loop, so that the next claim is sent first.
    let turn: Promise<unknown> = setImmediate();
    for (const [index, lease] of claimed.entries()) {
      // Ten at a time: starting a hundred requests together would block the event loop.
      if (index % 10 === 9) turn = turn.then(() => setImmediate());
      const row = rows.get(lease.rowId);
      if (row === undefined) hasStrayLeases = true;
      else start({ lease, row }, isHeld, turn);
    }
  };

  let lastExpiryPollAt = Number.NEGATIVE_INFINITY;
  let nextExpiryPollAt = Number.NEGATIVE_INFINITY;
  const releaseLeases = async (): Promise<void> => {
    const isExpiryPoll = performance.now() >= nextExpiryPollAt;
    // Repeat this at each check for expired leases: a claim whose reply was lost may be committed after the error.
    if (hasStrayLeases || isExpiryPoll) {
      // Reset it before waiting, so that an error while waiting is not missed.
      hasStrayLeases = false;
      await leases.releaseStrayLeases(queue.name, [...inFlight.keys()]);
    }
    if (!isExpiryPoll) return;
    lastExpiryPollAt = performance.now();
    nextExpiryPollAt = lastExpiryPollAt + expiryPollMs;
    await leases.releaseExpired();
  };

  /** @returns how long to pause, in milliseconds; zero or negative if a lane is due */
  const pauseMs = async (): Promise<number> => {
    const askedAtMs = performance.now();
    const next = await leases.nextPoll(queue.name);
    const expiryMs = Math.min(next.expiryMs, maxIdleMs[store.name]);
    nextExpiryPollAt = Math.max(lastExpiryPollAt + expiryPollMs, askedAtMs + expiryMs);
    return Math.min(next.wakeupMs, nextExpiryPollAt - performance.now());
  };

  const loop = runLoop(tick, reportError);
  const unsubscribe = options.signals?.subscribe((heard) => {
    if (heard === "everything" || queue.wokenBy.includes(heard.topic)) loop.wake();
  });
  return {
    wake: loop.wake,
    async stop() {
      unsubscribe?.();
      await loop.stop();
      await Promise.all(inFlight.values());
      if (hasStrayLeases) await leases.releaseStrayLeases(queue.name, []).catch(onError);
    },
  };
}
