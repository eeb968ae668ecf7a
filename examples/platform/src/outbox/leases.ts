import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Store, Trx } from "../store/store.ts";
import type { QueueName } from "../store/tables.ts";
import { insertWakeups, type Lease, shareSettling } from "./queue.ts";
import { type Loop, runLoop } from "./timers.ts";

export interface LeasesOptions {
  /**
   * Lease duration (visibility timeout): how long other processes wait before they take over the rows of a process that crashed or
   * stalled (D-70). @default 4
   */
  leaseSeconds?: number;
  onError: (error: unknown) => void;
}

/** When to look at a queue next, by the database's clock. */
export interface NextLook {
  /** The time until the first wake-up of a lane; not positive when one is due, Infinity without any. */
  wakeupMs: number;
  /** The time until the first lease of another process ends; Infinity without any. */
  lapseMs: number;
}

/** Opens this process's lease. On PGlite, which serves one process, the rows of a killed process are free immediately. */
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
  /** The lease lasts at least until this time, by performance.now(). */
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  /** How many times the lease was started again after it had ended. */
  #gaps = 0;

  /** @param leaseMs by the database's clock */
  constructor(store: Store, leaseMs: number, onError: (error: unknown) => void) {
    this.#store = store;
    this.leaseMs = leaseMs;
    const renew = async (): Promise<number> => {
      if (this.#underWay === 0) return Number.POSITIVE_INFINITY;
      const sentAtMs = performance.now();
      // Each claim also renews the lease, so it may already last long enough.
      const leftMs = this.#heldUntilMs - sentAtMs - (leaseMs * 3) / 4;
      if (leftMs > 0) return leftMs;
      await this.renewIn(store.db);
      this.renewed(sentAtMs);
      return leaseMs / 4;
    };
    this.#renewing = runLoop(renew, onError);
  }

  /**
   * Starts or renews the lease. It never becomes shorter: a claim's `now()` is the start of its transaction, and a renewal that was
   * sent later may be committed earlier. In a transaction, it also prevents other processes from ending the lease until the commit.
   */
  async renewIn(db: Store["db"]): Promise<void> {
    await sql`
      insert into outbox_processes (id, lease_until) values (${this.processId}, now() + ${this.leaseMs}::float8 * interval '1 ms')
      on conflict (id) do update set lease_until = greatest(outbox_processes.lease_until, excluded.lease_until)`.execute(
      db,
    );
  }

  /**
   * Called when the database has replied: it renewed the lease at an unknown time since `sentAtMs`, so after the lease's end there may
   * have been a gap.
   *
   * @param sentAtMs when the statement that renewed the lease was sent, or the `begin` before it, by performance.now()
   */
  renewed(sentAtMs: number): void {
    if (performance.now() >= this.#heldUntilMs) this.#gaps += 1;
    this.#heldUntilMs = Math.max(this.#heldUntilMs, sentAtMs + this.leaseMs);
  }

  /**
   * @returns whether the lease has lasted without a gap since this call. If not, the process must not attempt rows that it claimed
   *   before: another process may have attempted them
   */
  watch(): () => boolean {
    const count = this.#gaps;
    return () => this.#gaps === count && performance.now() < this.#heldUntilMs;
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
   * Frees the rows of this process except those it is attempting. Called after an error, when it is unknown which claims were
   * committed.
   */
  async freeStrayLeases(queue: QueueName, tokens: readonly number[]): Promise<void> {
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
   * One statement, so that it reads one snapshot: another process that frees rows deletes their leases and wakes their lanes in one
   * transaction.
   */
  async nextLook(queue: QueueName): Promise<NextLook> {
    const { rows } = await sql<{ wakeup: number | null; lapse: number | null }>`
      select
        extract(epoch from (select min(at) from outbox_wakeups where queue = ${queue}) - now())::float8 * 1000 as wakeup,
        extract(epoch from (select min(lease_until) from outbox_processes where id <> ${this.processId}) - now())::float8 * 1000
          as lapse`.execute(this.#store.db);
    return {
      wakeupMs: rows[0]?.wakeup ?? Number.POSITIVE_INFINITY,
      lapseMs: rows[0]?.lapse ?? Number.POSITIVE_INFINITY,
    };
  }

  /** Frees the rows that this process still attempts, so that others can claim them immediately. */
  async stop(): Promise<void> {
    await this.#renewing.stop();
    await this.#free(sql`id = ${this.processId}`);
  }

  /** Skips processes with rows that a transaction is settling, even a stalled one: a later call frees them. */
  async #free(which: ReturnType<typeof sql>): Promise<void> {
    await this.#store.transaction(async (trx) => {
      // While these rows are locked, their processes cannot claim.
      const { rows } = await sql<{ id: string }>`
        select id from outbox_processes where ${which} for update skip locked`.execute(trx);
      if (rows.length === 0) return;
      const ended = sql`(select json_array_elements_text(${JSON.stringify(rows.map(({ id }) => id))}::text::json)::uuid)`;
      await sql`
        with freed as (
          delete from outbox_leases where (queue, row_id) in (
            select queue, row_id from outbox_leases where process_id in ${ended} for update skip locked)
          returning queue, lane
        )
        ${wakeFreed}`.execute(trx);
      await sql`
        delete from outbox_processes where id in ${ended}
          and not exists (select from outbox_leases where process_id = outbox_processes.id)`.execute(trx);
    });
  }
}

/** The part of a statement that wakes the lanes whose leases its part `freed` deletes: these lanes have room for more rows. */
const wakeFreed = insertWakeups(sql`select distinct queue, lane, now() from freed`);

/**
 * The fence: ends leases, wakes their lanes, and says which of them this process still held. Every transaction that settles rows
 * starts with it.
 *
 * @returns those of `attempted` whose token still existed; the other rows belong to another process now, and must not be settled
 */
export async function endLeases<Attempted extends { lease: Lease }>(
  trx: Trx,
  queue: QueueName,
  attempted: readonly Attempted[],
): Promise<Attempted[]> {
  await shareSettling(trx, queue);
  const leases = attempted.map(({ lease }) => lease);
  const { rows } = await sql<{ token: number }>`
    with freed as (
      delete from outbox_leases
      using json_to_recordset(${JSON.stringify(leases)}::text::json) as given ("rowId" int8, token int8)
      where queue = ${queue} and row_id = given."rowId" and outbox_leases.token = given.token
      returning outbox_leases.token, queue, lane
    ), woken as (${wakeFreed})
    select token from freed`.execute(trx);
  const ended = new Set(rows.map(({ token }) => token));
  return attempted.filter(({ lease }) => ended.has(lease.token));
}
