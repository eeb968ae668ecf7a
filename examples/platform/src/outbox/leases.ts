import { randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Store, Trx } from "../store/store.ts";
import type { QueueName } from "../store/tables.ts";
import { idleTransactionTimeout, insertWakeups, type Lease, milliseconds, shareSettling } from "./queue.ts";
import { type Loop, runLoop } from "./timers.ts";
import { WakeupWindows } from "./windows.ts";

export interface LeasesOptions {
  /**
   * Lease duration (visibility timeout): how long other processes leave the rows of a process alone that has crashed or stalled
   * (D-70). @default 4
   */
  leaseSeconds?: number;
  onError: (error: unknown) => void;
}

/** When a queue is looked at next, by the database's clock. */
export interface NextLook {
  /** Until the first wake-up of a lane; not positive when one is due, Infinity when there is none. */
  wakeupMs: number;
  /** Until the first lease of another process ends; Infinity when there is none. */
  lapseMs: number;
  /** The database's clock, in milliseconds since 1970. */
  clockMs: number;
}

/** Opens this process's lease. On PGlite, which serves one process, the rows of a killed process are free at once. */
export async function openLeases(store: Store, { leaseSeconds = 4, onError }: LeasesOptions): Promise<Leases> {
  const leases = new Leases(store, leaseSeconds * 1_000, onError);
  if (store.name === "pglite") await leases.freeLapsed(true);
  return leases;
}

/**
 * The lease of this process on all rows that it attempts: one row, renewed while there are any. After its end other processes may
 * claim those rows (D-70), and results of this process are discarded because their fencing tokens are deleted.
 */
export class Leases {
  readonly processId = randomUUID();
  readonly #store: Store;
  /** How long a lease lasts if it is not renewed. */
  readonly leaseMs: number;
  readonly #renewing: Loop;
  #underWay = 0;
  /** Until when the lease lasts at least, by performance.now(). */
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  /** How many times the lease began again after it had ended. */
  #count = 0;

  /** @param leaseMs by the database's clock */
  constructor(store: Store, leaseMs: number, onError: (error: unknown) => void) {
    this.#store = store;
    this.leaseMs = leaseMs;
    const renew = async (): Promise<number> => {
      if (this.#underWay === 0) return Number.POSITIVE_INFINITY;
      const sentAtMs = performance.now();
      // Each claim renews the lease too, so it may last long enough already.
      const leftMs = this.#heldUntilMs - sentAtMs - this.restMs;
      if (leftMs > 0) return leftMs;
      const { rows } = await sql`${this.renewal()}`.execute(store.db);
      this.renewed(sentAtMs, rows.length > 0);
      return leaseMs / 4;
    };
    this.#renewing = runLoop(renew, onError);
  }

  /**
   * Called when the database has replied: it renewed the lease at an unknown time since `sentAtMs`, so after the lease's end there may
   * have been a gap.
   *
   * @param sentAtMs when the statement that renewed the lease was sent, or the `begin` before it, by performance.now()
   * @param isWhole false when `renewal` left it as it was
   */
  renewed(sentAtMs: number, isWhole = true): void {
    if (performance.now() >= this.#heldUntilMs) this.#count += 1;
    this.#heldUntilMs = Math.max(this.#heldUntilMs, sentAtMs + (isWhole ? this.leaseMs : this.restMs));
  }

  /**
   * @returns whether the lease has lasted without a gap since this call. If not, the process must not attempt rows that it claimed
   *   before: another process may have attempted them
   */
  watch(): () => boolean {
    const count = this.#count;
    return () => this.#count === count && performance.now() < this.#heldUntilMs;
  }

  /** Renews the lease until `work` ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    if (this.#underWay === 1) this.#renewing.wake();
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }

  /**
   * Frees the rows of other processes whose lease has ended, and wakes their lanes. Not the rows of this process: it renews its
   * lease instead.
   *
   * @param all frees the rows of every other process: for a store that serves one process, where all others have ended
   */
  async freeLapsed(all = false): Promise<void> {
    const isOther = sql`id <> ${this.processId}`;
    await this.#free(all ? isOther : sql`${isOther} and lease_until < now()`);
  }

  /**
   * Frees the rows of this process but those it attempts. Called after an error, when it is unknown which claims were
   * committed.
   */
  async freeAllBut(queue: QueueName, tokens: readonly number[]): Promise<void> {
    await sql`
      with freed as (
        delete from outbox_leases
        where process_id = ${this.processId} and queue = ${queue}
          and token <> all (array(select json_array_elements_text(${JSON.stringify(tokens)}::text::json)::int8))
        returning queue, lane
      )
      ${wakeFreed}`.execute(this.#store.db);
  }

  /**
   * One statement, so that what it reads is of one moment: another process that frees rows deletes their leases and wakes their lanes in
   * one transaction.
   *
   * @param windows it reads no wake-up before them
   */
  async nextLook(queue: QueueName, windows: WakeupWindows = new WakeupWindows(this.#store)): Promise<NextLook> {
    const firstEnd = sql`(select min(lease_until) from outbox_processes where id <> ${this.processId})`;
    const { rows } = await sql<{ wakeup: number | null; lapse: number | null; clock: number }>`
      select ${milliseconds(sql`min(at) - now()`)} as wakeup, ${milliseconds(sql`now()`)} as clock,
        ${milliseconds(sql`${firstEnd} - now()`)} as lapse
      from ${windows.shards} cross join lateral (
        select at from outbox_wakeups where queue = ${queue} and outbox_wakeups.shard = shards.shard and at >= shards.since
        order by at limit 1
      ) as first`.execute(this.#store.db);
    const { wakeup, lapse, clock } = rows[0] ?? {};
    return {
      wakeupMs: wakeup ?? Number.POSITIVE_INFINITY,
      lapseMs: lapse ?? Number.POSITIVE_INFINITY,
      clockMs: clock ?? Number.NaN,
    };
  }

  /** Frees the rows that this process still attempts, so that others can claim them at once. */
  async stop(): Promise<void> {
    await this.#renewing.stop();
    await this.#free(sql`id = ${this.processId}`);
  }

  /** Skips rows that a transaction is settling, even if its process has stalled: a later call frees them. */
  async #free(which: ReturnType<typeof sql>): Promise<void> {
    await sql`
      with ended as (
        select id from outbox_processes where ${which} for update skip locked
      ), theirs as (
        select token from outbox_leases
        where exists (select from ended) and process_id in (select id from ended) for update skip locked
      ), freed as (
        delete from outbox_leases using theirs where outbox_leases.token = theirs.token returning queue, lane
      ), gone as (
        delete from outbox_processes using ended where outbox_processes.id = ended.id and not exists (
          select from outbox_leases where process_id = ended.id and token not in (select token from theirs))
      )
      ${wakeFreed}`.execute(this.#store.db);
  }

  /** How long the lease lasts, at least, after a `renewal` that left it as it was. */
  get restMs(): number {
    return (this.leaseMs * 3) / 4;
  }

  /**
   * A statement, or a part of one, that renews the lease, and returns a row if it did. A lease that was renewed less than a quarter ago
   * stays as it is: each new version of its row is read by every claim while a snapshot keeps them.
   */
  renewal(condition: RawBuilder<unknown> = sql`true`): RawBuilder<unknown> {
    const end = (ms: number) => sql`now() + ${ms}::float8 * interval '1 ms'`;
    return sql`
      insert into outbox_processes (id, lease_until)
      select ${this.processId}::uuid, ${end(this.leaseMs)} where ${condition}
      on conflict (id) do update set lease_until = excluded.lease_until
        where outbox_processes.lease_until not between ${end(this.restMs)} and ${end(this.leaseMs)}
      returning id`;
  }
}

/** The part of a statement that wakes the lanes whose leases its part `freed` deletes: these lanes have room for more rows. */
const wakeFreed = insertWakeups(sql`select distinct queue, now(), lane from freed`);

/**
 * The fence: ends leases, wakes their lanes, and says which of them this process still held. It is the first statement of every
 * transaction that settles rows, so it takes the settling lock too. It looks for each lease by its key, which no other index serves,
 * hence `+ 0`: where statistics hold few leases, PostgreSQL took any plan, such as one that read all leases of a snapshot for each.
 *
 * @param lock a select `for update`, in the same statement: another one would be another wait for the database
 * @returns `held`: those of `attempted` whose token still existed; the other rows belong to another process now, and must not be
 *   settled. `locked`: the rows of `lock`
 */
export async function endLeases<Attempted extends { lease: Lease }, Locked extends object>(
  trx: Trx,
  queue: QueueName,
  attempted: readonly Attempted[],
  lock: RawBuilder<Locked> = sql`select where false`,
): Promise<{ held: Attempted[]; locked: Locked[] }> {
  const leases = attempted.map(({ lease }) => lease);
  const { rows } = await sql<Locked & { tokens: number[]; isLocked: true | null }>`
    with shared as materialized (
      select ${idleTransactionTimeout}, ${shareSettling(queue)}
    ), freed as (
      delete from outbox_leases using shared where ctid = any (array(
        select lease.ctid from json_to_recordset(${JSON.stringify(leases)}::text::json) as given ("rowId" int8, token int8)
        cross join lateral (
          select ctid from outbox_leases
          where queue = ${queue} and row_id = given."rowId" and outbox_leases.token + 0 = given.token offset 0) as lease))
      returning outbox_leases.token, queue, lane
    ), woken as (${wakeFreed}), locked as materialized (${lock})
    select * from (select coalesce(json_agg(token), '[]') as tokens from freed) as ended
    left join (select true as "isLocked", * from locked) as locked on true`.execute(trx);
  const ended = new Set(rows[0]?.tokens);
  const held = attempted.filter(({ lease }) => ended.has(lease.token));
  return { held, locked: rows.filter(({ isLocked }) => isLocked) };
}
