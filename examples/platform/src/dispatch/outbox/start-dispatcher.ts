import { setImmediate } from "node:timers/promises";
import type { RawBuilder } from "kysely";
import type { Store, Trx } from "../../store/store.ts";
import { claimRows } from "./claim-rows.ts";
import { GroupCommit } from "./group-commit.ts";
import { endLeases, type Leases, nextWakeupMs } from "./leases.ts";
import type { Lease, OutboxQueue } from "./outbox-queue.ts";
import { type Loop, runLoop } from "./run-loop.ts";

/** A row with the lease that this process has on it. */
export interface Leased<Row> {
  lease: Lease;
  row: Row;
}

/** What one attempt at a row came to. */
export interface Attempted<Row, Result> extends Leased<Row> {
  result: Result;
}

export interface DispatcherOptions<Row, Result, Locked extends object = object> {
  store: Store;
  leases: Leases;
  queue: OutboxQueue;
  /** Rows under way at a time, in this process. */
  maxUnderWay: number;
  /** Loads claimed rows, by their `rowId`. The leases of those that it leaves out end: their lane has closed meanwhile. */
  load(claimed: readonly Lease[]): Promise<ReadonlyMap<number, Row>>;
  /**
   * @param isHeld whether the row's lease has lasted until now
   * @returns undefined to give the row back: it is attempted again at once, unless this process ends
   */
  attempt(row: Row, isHeld: () => boolean): Promise<Result | undefined>;
  /** Selects rows for `settle`, and locks them. @default none */
  lock?(made: readonly Attempted<Row, Result>[]): RawBuilder<Locked>;
  /**
   * Stores the results of a group: sets `due_at` of each row to null, or to a later time and wakes its lane then.
   *
   * @returns reports it, once it is committed
   */
  settle(trx: Trx, made: readonly Attempted<Row, Result>[], locked: readonly Locked[]): Promise<() => void>;
  /** How long storing is tried again. @default 10_000 */
  settleLimitMs?: number;
  onError: (error: unknown) => void;
}

/** Of one claim and of one commit: on PGlite a request that creates an offer waits for each statement and commit of these. */
const batchSize = 100;
/** The first results of a hundred come before the others: at once, they were a group of their own, which costs half as much as all. */
const storeDelayMs = 5;
/** Groups that are settled at a time. PGlite has one connection. */
const settledAtOnce = { postgres: 2, pglite: 1 };
/**
 * How late a wake-up may be found that no process announced: the one that should have died before it could. On PGlite this
 * process is the only one.
 */
const slowLookMs = { postgres: 5_000, pglite: 60_000 };
/** How often a busy process looks for leases that ended; a process that sleeps wakes up for it. */
const lapseLookMs = 500;
/** A clock that only just has not come to a row yet. */
const shortestPauseMs = 1;

/**
 * Works on the rows of a queue until it is stopped: claims them when they are due, attempts each, and settles them in groups.
 * It sleeps until the next one is due or `wake` is called after a commit. At least once: what could not be stored is attempted
 * again.
 */
export function startDispatcher<Row, Result, Locked extends object = object>(
  options: DispatcherOptions<Row, Result, Locked>,
): Loop {
  const { store, leases, queue, maxUnderWay, onError } = options;
  const underWay = new Map<number, Promise<void>>();
  /** Whether the store may have leases of this process for rows that it does not work on. */
  let hasStrayLeases = false;
  const noteError = (error: unknown): void => {
    hasStrayLeases = true;
    onError(error);
  };

  const settling = new GroupCommit<Attempted<Row, Result>>({
    commit: (made) => settle(made),
    maxGroup: batchSize,
    maxConcurrent: settledAtOnce[store.name],
    delayMs: storeDelayMs,
    onError,
    giveUpAfterMs: options.settleLimitMs ?? 10_000,
  });

  const settle = async (made: readonly Attempted<Row, Result>[]): Promise<void> => {
    const report = await store.transaction(async (trx) => {
      const held = made.map(({ lease }) => lease);
      const { ended, locked } = await endLeases(trx, queue.name, held, options.lock?.(made));
      const ours = made.filter(({ lease }) => ended.has(lease.token));
      if (ours.length === 0) return undefined;
      return options.settle(trx, ours, locked);
    });
    report?.();
  };

  const work = async (leased: Leased<Row>, isHeld: () => boolean, turn: Promise<unknown>): Promise<void> => {
    await turn;
    // When this process has stood still, others have attempted the row since, and perhaps what comes after it.
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
    // Powers of two: the limit is part of the statement's text, and each text is prepared.
    const limit = room < batchSize ? 2 ** Math.floor(Math.log2(room)) : batchSize;
    const claimed = await claimRows(store, leases, queue, limit);
    if (claimed === undefined) return pauseMs();
    if (claimed.length === 0) return 0;
    const isHeld = leases.watch();
    const rows = await options.load(claimed);
    // The next claim is sent first.
    let turn: Promise<unknown> = setImmediate();
    for (const [index, lease] of claimed.entries()) {
      // To start a hundred requests takes 5 ms, in which nothing else would be done.
      if (index % 10 === 9) turn = turn.then(() => setImmediate());
      const row = rows.get(lease.rowId);
      if (row === undefined) hasStrayLeases = true;
      else start({ lease, row }, isHeld, turn);
    }
    return 0;
  };

  let lookedForLapsedAt = Number.NEGATIVE_INFINITY;
  const freeLeases = async (): Promise<void> => {
    if (hasStrayLeases) {
      // Before the wait: what goes wrong meanwhile is for the next time.
      hasStrayLeases = false;
      await leases.freeAllBut(queue.name, [...underWay.keys()]);
    }
    if (performance.now() - lookedForLapsedAt < lapseLookMs) return;
    lookedForLapsedAt = performance.now();
    await leases.freeLapsed();
  };

  const pauseMs = async (): Promise<number> => {
    // In this order: the process that frees the rows of another deletes its lease and wakes their lanes in one transaction.
    const lapseMs = Math.max(await leases.nextLapseMs(), lookedForLapsedAt + lapseLookMs - performance.now());
    const wakeupMs = await nextWakeupMs(store, queue.name);
    return Math.max(shortestPauseMs, Math.min(wakeupMs, lapseMs, slowLookMs[store.name]));
  };

  const loop = runLoop(tick, noteError);
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await Promise.all(underWay.values());
      if (hasStrayLeases) await leases.freeAllBut(queue.name, []).catch(onError);
    },
  };
}
