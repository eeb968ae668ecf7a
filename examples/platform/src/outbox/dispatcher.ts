import { setImmediate } from "node:timers/promises";
import type { Signals } from "../store/signals.ts";
import { type Store, StoreError, type Trx } from "../store/store.ts";
import { claimRows } from "./claim.ts";
import { GroupCommit } from "./group-commit.ts";
import { endLeases, type Leases, postponeRow } from "./leases.ts";
import type { Lease, OutboxQueue } from "./queue.ts";
import { type Loop, runLoop } from "./timers.ts";

/** A row and this process's lease on it. */
export interface Leased<Row> {
  lease: Lease;
  row: Row;
}

/** A leased row and the result of one attempt. */
export interface Attempted<Row, Result> extends Leased<Row> {
  result: Result;
}

export interface DispatcherOptions<Row, Result> {
  store: Store;
  leases: Leases;
  /** Wakes the dispatcher after commits in any process. Without it, only calls to `wake` do. */
  signals?: Pick<Signals, "subscribe"> | undefined;
  queue: OutboxQueue;
  /** The maximum number of rows that this process attempts concurrently. */
  maxInFlight: number;
  /** Loads claimed rows, keyed by `rowId`. Omits rows whose lane has closed since the claim, so that their leases are released. */
  load(claimed: readonly Lease[]): Promise<ReadonlyMap<number, Row>>;
  /**
   * Attempts a row.
   *
   * @param isLeased returns whether the row has been leased to this process without a gap
   * @returns undefined to release the row. It is then claimed again, by a different process if this one is stopping
   */
  attempt(row: Row, isLeased: () => boolean): Promise<Result | undefined>;
  /**
   * Stores the results of a group of rows, whose leases end in the same transaction. To settle a row, set its `due_at` to null, or to a
   * later time. The next claim schedules a wake-up for that time.
   *
   * @returns a function that reports the results, if they are reported; it is called after the commit
   */
  settle(trx: Trx, attempted: readonly Attempted<Row, Result>[]): Promise<(() => void) | undefined>;
  /** How long to retry storing a result before its row is postponed, in milliseconds. @default 10_000 */
  settleLimitMs?: number;
  onError: (error: unknown) => void;
}

/** The maximum number of rows per claim or commit. On PGlite, which has one connection, other requests wait for each statement. */
const batchSize = 100;
/** How long a commit waits for more results, which then share its transaction. */
const commitDelayMs = 5;
/** The maximum number of concurrent commits. PGlite has one connection. */
const maxConcurrentCommits = { postgres: 2, pglite: 1 };
/**
 * The longest pause between two claims. Usually a signal ends the pause, but a process may crash after its commit, before it
 * publishes the signal. On PGlite, there is only one process.
 */
const maxIdleMs = { postgres: 5_000, pglite: 60_000 };
/** How often a busy process checks for expired leases. An idle process checks when the next lease expires. */
const expiryPollMs = 500;
/** The pause while other processes are claiming from all due lanes. It doubles with each claim that finds no lane, up to the maximum. */
const busyPauseMs = { first: 5, max: 100 };

/**
 * Processes the rows of a queue until it is stopped. It claims due rows, attempts each row, and settles them in groups. It pauses until
 * the next row is due, or until a signal on one of the queue's topics arrives. Each row is attempted at least once, and again if its
 * result could not be stored. While the store is unavailable, results wait in memory, and their rows stay leased.
 */
export function startDispatcher<Row, Result>(options: DispatcherOptions<Row, Result>): Loop {
  const { store, leases, queue, maxInFlight, onError } = options;
  const inFlight = new Map<number, Promise<void>>();
  /** Whether the store may contain this process's leases on rows that it is not attempting. */
  let hasStrayLeases = false;
  const handleError = (error: unknown): void => {
    hasStrayLeases = true;
    onError(error);
  };

  const postpone = async (lease: Lease): Promise<void> => {
    await store.transaction((trx) => postponeRow(trx, queue, lease));
    const message = `row ${lease.rowId} of ${queue.table} is attempted again later; the errors before this one name the cause`;
    onError(Object.assign(new Error(message), { code: "attempt_postponed" }));
  };

  const groupCommit = new GroupCommit<Attempted<Row, Result>>({
    async commit(attempted) {
      const report = await store.transaction(async (trx) => {
        const leasedRows = await endLeases(trx, queue.name, attempted);
        return leasedRows.length === 0 ? undefined : options.settle(trx, leasedRows);
      });
      report?.();
    },
    isUnavailable: (error) => error instanceof StoreError,
    giveUp: ({ lease }) => postpone(lease),
    maxGroup: batchSize,
    maxConcurrent: maxConcurrentCommits[store.name],
    delayMs: commitDelayMs,
    onError,
    giveUpAfterMs: options.settleLimitMs ?? 10_000,
  });

  /** @returns whether the row's lease has ended. If not, the row must be released */
  const attemptAndSettle = async (
    { lease, row }: Leased<Row>,
    isLeased: () => boolean,
    nextTurn: Promise<unknown>,
  ): Promise<boolean> => {
    await nextTurn;
    // After a stall, another process may already have attempted this row and later ones.
    if (!isLeased()) return false;
    let result: Result | undefined;
    try {
      result = await options.attempt(row, isLeased);
    } catch (error) {
      onError(error);
      await postpone(lease);
      return true;
    }
    return result !== undefined && groupCommit.add({ lease, row, result });
  };

  const startAttempt = (leased: Leased<Row>, isLeased: () => boolean, nextTurn: Promise<unknown>): void => {
    const { token } = leased.lease;
    const attempting = leases
      .renewWhile(() => attemptAndSettle(leased, isLeased, nextTurn))
      .catch((error: unknown) => {
        onError(error);
        return false;
      })
      .then((hasEnded) => {
        // Leases of rows in flight are never released, so set the flag only after the row has left.
        inFlight.delete(token);
        if (!hasEnded) hasStrayLeases = true;
        loop.wake();
      });
    inFlight.set(token, attempting);
  };

  /** How many claims in a row have found no lane although one was due. */
  let busyClaims = 0;
  /** @returns how long to pause before the next claim, in milliseconds; zero or negative if more rows may be due */
  const tick = async (): Promise<number> => {
    const freeSlots = maxInFlight - inFlight.size;
    if (freeSlots <= 0) return Number.POSITIVE_INFINITY;
    await releaseUnusedLeases();
    const limit = Math.min(freeSlots, batchSize);
    const claimed = await claimRows(store, leases, queue, limit);
    if (claimed !== undefined && claimed.length > 0) await startAttempts(claimed);
    if (claimed?.length === limit || hasStrayLeases) return 0;
    const untilPollMs = await scheduleNextPoll();
    busyClaims = claimed === undefined && untilPollMs <= 0 ? busyClaims + 1 : 0;
    return busyClaims === 0 ? untilPollMs : Math.min(busyPauseMs.first * 2 ** (busyClaims - 1), busyPauseMs.max);
  };

  const startAttempts = async (claimed: readonly Lease[]): Promise<void> => {
    const isLeased = leases.watchForGaps();
    const rows = await options.load(claimed);
    // Start attempts in the next turn of the event loop, so that the next claim is sent first.
    let nextTurn: Promise<unknown> = setImmediate();
    for (const [index, lease] of claimed.entries()) {
      // Start ten at a time, because a hundred would block the event loop.
      if (index % 10 === 9) nextTurn = nextTurn.then(() => setImmediate());
      const row = rows.get(lease.rowId);
      if (row === undefined) hasStrayLeases = true;
      else startAttempt({ lease, row }, isLeased, nextTurn);
    }
  };

  let lastExpiryPollAtMs = Number.NEGATIVE_INFINITY;
  let nextExpiryPollAtMs = Number.NEGATIVE_INFINITY;
  const releaseUnusedLeases = async (): Promise<void> => {
    const isExpiryPoll = performance.now() >= nextExpiryPollAtMs;
    // Also do this with each check for expired leases, because a claim whose reply was lost may be committed later.
    if (hasStrayLeases || isExpiryPoll) {
      // Reset the flag before waiting, so that an error that sets it during the wait is not lost.
      hasStrayLeases = false;
      await leases.releaseStrayLeases(queue.name, [...inFlight.keys()]);
    }
    if (!isExpiryPoll) return;
    lastExpiryPollAtMs = performance.now();
    nextExpiryPollAtMs = lastExpiryPollAtMs + expiryPollMs;
    await leases.releaseExpired();
  };

  /** @returns how long to pause, in milliseconds; zero or negative if a lane is due */
  const scheduleNextPoll = async (): Promise<number> => {
    const queriedAtMs = performance.now();
    const next = await leases.nextPoll(queue.name);
    const expiryMs = Math.min(next.expiryMs, maxIdleMs[store.name]);
    nextExpiryPollAtMs = Math.max(lastExpiryPollAtMs + expiryPollMs, queriedAtMs + expiryMs);
    return Math.min(next.wakeupMs, nextExpiryPollAtMs - performance.now());
  };

  const loop = runLoop(tick, handleError);
  const unsubscribe = options.signals?.subscribe((signal) => {
    if (signal === "everything" || queue.wokenBy.includes(signal.topic)) loop.wake();
  });
  return {
    wake: loop.wake,
    async stop() {
      unsubscribe?.();
      await loop.stop();
      groupCommit.stop();
      await Promise.all(inFlight.values());
      if (hasStrayLeases) await leases.releaseStrayLeases(queue.name, []).catch(onError);
    },
  };
}
