import { randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Store, Trx } from "../../store/store.ts";
import type { QueueName } from "../../store/tables.ts";
import type { Lease } from "./outbox-queue.ts";
import { type Loop, runLoop } from "./run-loop.ts";
import { shareSettling, standstillEnds } from "./settling-lock.ts";

/**
 * The lease of this process on all rows that it works on: one row, renewed while there are any. Once the lease has expired,
 * other processes may claim those rows (D-70), and results of this one are discarded: their fencing tokens are gone.
 */
export class Leases {
  readonly processId = randomUUID();
  readonly #store: Store;
  /** How long a lease lasts that is not renewed. */
  readonly leaseMs: number;
  readonly #renewal: Loop;
  #underWay = 0;
  /** Until when the lease lasts at least, by performance.now(). */
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  /** Counts the times at which a lease began that does not continue the one before. */
  #count = 0;

  /** @param leaseMs by the database's clock */
  constructor(store: Store, leaseMs: number, onError: (error: unknown) => void) {
    this.#store = store;
    this.leaseMs = leaseMs;
    const renew = async (): Promise<number> => {
      if (this.#underWay === 0) return Number.POSITIVE_INFINITY;
      const sentAtMs = performance.now();
      // Each claim renews it too.
      const leftMs = this.#heldUntilMs - sentAtMs - (leaseMs * 3) / 4;
      if (leftMs > 0) return leftMs;
      await sql`
        insert into outbox_processes (id, lease_until) values (${this.processId}, ${this.leaseEnd})
        on conflict (id) do update set lease_until = excluded.lease_until`.execute(store.db);
      this.renewed(sentAtMs);
      return leaseMs / 4;
    };
    this.#renewal = runLoop(renew, onError);
  }

  /** @param sentAtMs when the statement was sent that renewed the lease, by performance.now() */
  renewed(sentAtMs: number): void {
    if (sentAtMs >= this.#heldUntilMs) this.#count += 1;
    this.#heldUntilMs = Math.max(this.#heldUntilMs, sentAtMs + this.leaseMs);
  }

  /** @returns whether the lease has lasted without a gap since now: a process that stood still may not start what it claimed before */
  watch(): () => boolean {
    const count = this.#count;
    return () => this.#count === count && performance.now() < this.#heldUntilMs;
  }

  /** Holds the lease while `work` goes on. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    if (this.#underWay === 1) this.#renewal.wake();
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
   * @param all for a process that has the store for itself: every other process with a lease is dead
   */
  async freeLapsed(all = false): Promise<void> {
    const isOther = sql`id <> ${this.processId}`;
    await this.#free(all ? isOther : sql`${isOther} and lease_until < now()`);
  }

  /** Frees rows of this process that it does not work on, after an error: whether their claim or settling was committed is unknown. */
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

  /** @returns milliseconds until the first lease of another process ends; Infinity when there is none */
  async nextLapseMs(): Promise<number> {
    const { rows } = await sql<{ ms: number | null }>`
      select (extract(epoch from min(lease_until) - now()) * 1000)::float8 as ms
      from outbox_processes where id <> ${this.processId}`.execute(this.#store.db);
    return rows[0]?.ms ?? Number.POSITIVE_INFINITY;
  }

  /** Gives back what is still under way, for others to do at once. */
  async stop(): Promise<void> {
    await this.#renewal.stop();
    await this.#free(sql`id = ${this.processId}`);
  }

  /** Skips rows that are being settled, perhaps by a process that stands still: they are freed later. */
  async #free(which: ReturnType<typeof sql>): Promise<void> {
    await sql`
      with ended as (
        select id from outbox_processes where ${which} for update skip locked
      ), theirs as (
        select token from outbox_leases where process_id in (select id from ended) for update skip locked
      ), freed as (
        delete from outbox_leases using theirs where outbox_leases.token = theirs.token returning queue, lane
      ), gone as (
        delete from outbox_processes using ended where outbox_processes.id = ended.id and not exists (
          select from outbox_leases where process_id = ended.id and token not in (select token from theirs))
      )
      ${wakeFreed}`.execute(this.#store.db);
  }

  /** As SQL. */
  get leaseEnd(): RawBuilder<Date> {
    return sql`now() + ${this.leaseMs}::int8 * interval '1 ms'`;
  }
}

/** The end of a statement whose part `freed` has deleted leases. */
const wakeFreed = sql`
  insert into outbox_wakeups (queue, at, lane)
  select distinct queue, now(), lane from freed
  on conflict do nothing`;

/**
 * Ends leases and wakes their lanes: there is room for others now. The first statement of a transaction that settles their rows,
 * so it takes the settling lock too.
 *
 * @param lock selects rows that the transaction locks: a statement of its own would be another wait for the database
 * @returns the tokens that were still there, since the rows under the others belong to another process by now; and the locked rows
 */
export async function endLeases<Locked extends object>(
  trx: Trx,
  queue: QueueName,
  leases: readonly Lease[],
  lock: RawBuilder<Locked> = sql`select where false`,
): Promise<{ ended: Set<number>; locked: Locked[] }> {
  const { rows } = await sql<Locked & { tokens: number[]; isLocked: true | null }>`
    with shared as materialized (
      select ${standstillEnds}, ${shareSettling(queue)}
    ), freed as (
      delete from outbox_leases
      using shared, json_to_recordset(${JSON.stringify(leases)}::text::json) as given ("rowId" int8, token int8)
      where queue = ${queue} and row_id = given."rowId" and outbox_leases.token = given.token
      returning outbox_leases.token, queue, lane
    ), woken as (${wakeFreed}), locked as materialized (${lock})
    select * from (select coalesce(json_agg(token), '[]') as tokens from freed) as ended
    left join (select true as "isLocked", * from locked) as locked on true`.execute(trx);
  return { ended: new Set(rows[0]?.tokens), locked: rows.filter(({ isLocked }) => isLocked) };
}

/** @returns milliseconds until a lane of the queue is to be looked at; Infinity when there is none */
export async function nextWakeupMs({ db }: Store, queue: QueueName): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(at) - now()) * 1000)::float8 as ms
    from outbox_wakeups where queue = ${queue}`.execute(db);
  return rows[0]?.ms ?? Number.POSITIVE_INFINITY;
}
