import { setImmediate } from "node:timers/promises";
import type { Signals } from "../store/signals.ts";
import type { Store, Trx } from "../store/store.ts";
import { claimRows } from "./claim.ts";
import { GroupCommit } from "./group-commit.ts";
import type { Leases } from "./leases.ts";
import type { Lease, OutboxQueue } from "./queue.ts";
import { type Loop, runLoop } from "./timers.ts";

/** A row with the lease that this process has on it. */
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
  /** How many rows this process attempts at a time. */
  maxUnderWay: number;
  /** Loads claimed rows, by `rowId`. It leaves out rows whose lane has closed since the claim; their leases end. */
  load(claimed: readonly Lease[]): Promise<ReadonlyMap<number, Row>>;
  /**
   * @param isHeld whether the row's lease has lasted until now
   * @returns undefined to release the row: it is claimed again, unless this process stops
   */
  attempt(row: Row, isHeld: () => boolean): Promise<Result | undefined>;
  /**
   * Stores the results of a group. It starts with `endLeases`, which wakes the lanes, and settles only the rows that this returns as
   * held: it sets `due_at` of each to null or to a later time, for which the next claim plans a wake-up.
   *
   * @returns called after the commit, to report it
   */
  settle(trx: Trx, attempted: readonly Attempted<Row, Result>[]): Promise<() => void>;
  /** How long storing a group is retried. @default 10_000 */
  settleLimitMs?: number;
  onError: (error: unknown) => void;
}

/** Rows of one claim and of one commit. On PGlite, a request that creates an offer waits for each of their statements. */
const batchSize = 100;
/**
 * How long to wait before a commit, so that early results join the batch instead of a separate transaction.
 */
const storeDelayMs = 5;
/** How many groups are settled at a time. PGlite has one connection. */
const settledAtOnce = { postgres: 2, pglite: 1 };
/**
 * The longest pause between two claims. A signal ends the pause, unless the process that should have published it crashed after
 * its commit. On PGlite this process is the only one.
 */
const maxIdleMs = { postgres: 5_000, pglite: 60_000 };
/** How often a busy process looks for leases that have ended. One that has paused knows when the first will end. */
const lapseLookMs = 500;
/** After a claim that found no lane: nothing is due, or other processes are claiming from all that are. */
const busyPauseMs = 5;

/**
 * Processes the rows of a queue until it is stopped: claims due rows, attempts each, and settles them in groups. Sleeps until the
 * next row is due, or until a signal of the queue's topics. Each row is attempted at least once; if its result could not be
 * stored, it is attempted again.
 */
export function startDispatcher<Row, Result>(options: DispatcherOptions<Row, Result>): Loop {
  const { store, leases, queue, maxUnderWay, onError } = options;
  const underWay = new Map<number, Promise<void>>();
  /** Whether the store may have leases of this process for rows that it does not attempt. */
  let hasStrayLeases = false;
  const noteError = (error: unknown): void => {
    hasStrayLeases = true;
    onError(error);
  };

  const settling = new GroupCommit<Attempted<Row, Result>>({
    async commit(attempted) {
      const report = await store.transaction((trx) => options.settle(trx, attempted));
      report();
    },
    maxGroup: batchSize,
    maxConcurrent: settledAtOnce[store.name],
    delayMs: storeDelayMs,
    onError,
    giveUpAfterMs: options.settleLimitMs ?? 10_000,
  });

  const work = async (leased: Leased<Row>, isHeld: () => boolean, turn: Promise<unknown>): Promise<void> => {
    await turn;
    // After a stall, another process may already have attempted this row, and the rows after it.
    const result = isHeld() ? await options.attempt(leased.row, isHeld) : undefined;
    if (result === undefined || !(await settling.add({ ...leased, result }))) hasStrayLeases = true;
  };

  const start = (leased: Leased<Row>, isHeld: () => boolean, turn: Promise<unknown>): void => {
    const working = leases
      .during(() => work(leased, isHeld, turn))
      .catch(noteError)
      .finally(() => {
        underWay.delete(leased.lease.token);
        loop.wake();
      });
    underWay.set(leased.lease.token, working);
  };

  const tick = async (): Promise<number> => {
    const room = maxUnderWay - underWay.size;
    if (room <= 0) return Number.POSITIVE_INFINITY;
    await freeLeases();
    const limit = Math.min(room, batchSize);
    const claimed = await claimRows(store, leases, queue, limit);
    if (claimed !== undefined && claimed.length > 0) await begin(claimed);
    if (claimed?.length === limit || hasStrayLeases) return 0;
    const pause = await pauseMs();
    return claimed === undefined ? Math.max(busyPauseMs, pause) : pause;
  };

  const begin = async (claimed: readonly Lease[]): Promise<void> => {
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

  let lastLapseLookAt = Number.NEGATIVE_INFINITY;
  let nextLapseLookAt = Number.NEGATIVE_INFINITY;
  const freeLeases = async (): Promise<void> => {
    const isLapseLook = performance.now() >= nextLapseLookAt;
    // Also at each check for expired leases: a claim whose reply was lost may commit after the error.
    if (hasStrayLeases || isLapseLook) {
      // Reset before the wait, so that an error during the wait is not lost.
      hasStrayLeases = false;
      await leases.freeStrayLeases(queue.name, [...underWay.keys()]);
    }
    if (!isLapseLook) return;
    lastLapseLookAt = performance.now();
    nextLapseLookAt = lastLapseLookAt + lapseLookMs;
    await leases.freeLapsed();
  };

  /** @returns not positive when a lane is due */
  const pauseMs = async (): Promise<number> => {
    const askedAtMs = performance.now();
    const next = await leases.nextLook(queue.name);
    const lapseMs = Math.min(next.lapseMs, maxIdleMs[store.name]);
    nextLapseLookAt = Math.max(lastLapseLookAt + lapseLookMs, askedAtMs + lapseMs);
    return Math.min(next.wakeupMs, nextLapseLookAt - performance.now());
  };

  const loop = runLoop(tick, noteError);
  const unsubscribe = options.signals?.subscribe((heard) => {
    if (heard === "everything" || queue.wokenBy.includes(heard.topic)) loop.wake();
  });
  return {
    wake: loop.wake,
    async stop() {
      unsubscribe?.();
      await loop.stop();
      await Promise.all(underWay.values());
      if (hasStrayLeases) await leases.freeStrayLeases(queue.name, []).catch(onError);
    },
  };
}
