import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Store, Trx } from "../store/store.ts";
import type { QueueName } from "../store/tables.ts";
import { insertWakeups, type Lease, lockSettlingShared } from "./queue.ts";
import { type Loop, runLoop } from "./timers.ts";

export interface LeasesOptions {
  /**
   * How long a lease lasts (visibility timeout): other processes wait this long before they take over the rows of a process that crashed or
   * stalled (D-70). @default 4
   */
  leaseSeconds?: number;
  onError: (error: unknown) => void;
}

/** When to poll a queue next, by the database's clock. */
export interface NextPoll {
  /** The time until a lane's first wake-up; zero or negative if one is due, Infinity if no lane waits. */
  wakeupMs: number;
  /** The time until the first lease of another process expires; Infinity if no other process has one. */
  expiryMs: number;
}

/** Creates this process's lease. On PGlite, which serves one process, it immediately releases the rows of a killed process. */
export async function openLeases(store: Store, { leaseSeconds = 4, onError }: LeasesOptions): Promise<Leases> {
  const leases = new Leases(store, leaseSeconds * 1_000, onError);
  if (store.name === "pglite") await leases.releaseExpired({ includeLive: true });
  return leases;
}

/**
 * This process's lease on all rows that it attempts. It is one database row, renewed while there are attempts. Once it expires, other
 * processes may claim those rows (D-70), and this process's results are discarded because their fencing tokens are deleted.
 */
export class Leases {
  readonly processId = randomUUID();
  readonly #store: Store;
  /** How long a lease lasts if it is not renewed, in milliseconds. */
  readonly leaseMs: number;
  readonly #renewing: Loop;
  #inFlight = 0;
  /** Until when the lease is certain to last, by performance.now(). */
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  /** How many times the lease was started again after it had expired. */
  #gaps = 0;

  /** @param leaseMs how long the lease lasts, by the database's clock */
  constructor(store: Store, leaseMs: number, onError: (error: unknown) => void) {
    this.#store = store;
    this.leaseMs = leaseMs;
    const renew = async (): Promise<number> => {
      if (this.#inFlight === 0) return Number.POSITIVE_INFINITY;
      const sentAtMs = performance.now();
      // Each claim renews the lease too, so it may already last long enough.
      const leftMs = this.#heldUntilMs - sentAtMs - (leaseMs * 3) / 4;
      if (leftMs > 0) return leftMs;
      await this.renewIn(store.db);
      this.renewed(sentAtMs);
      return leaseMs / 4;
    };
    this.#renewing = runLoop(renew, onError);
  }

  /**
   * Starts or renews the lease. Never shortens it: a claim's `now()` is the start of its transaction, and a renewal that was
   * sent later may be committed earlier. In a transaction, it also keeps other processes from ending the lease until the commit.
   */
  async renewIn(db: Store["db"]): Promise<void> {
    await sql`
      insert into outbox_processes (id, lease_until) values (${this.processId}, now() + ${this.leaseMs}::float8 * interval '1 ms')
      on conflict (id) do update set lease_until = greatest(outbox_processes.lease_until, excluded.lease_until)`.execute(
      db,
    );
  }

  /**
   * Call it when the database has replied. The lease was renewed at an unknown time after `sentAtMs`, so if it has expired in the
   * meantime, there may have been a gap.
   *
   * @param sentAtMs when the statement that renewed the lease was sent, or the `begin` before it, by performance.now()
   */
  renewed(sentAtMs: number): void {
    if (performance.now() >= this.#heldUntilMs) this.#gaps += 1;
    this.#heldUntilMs = Math.max(this.#heldUntilMs, sentAtMs + this.leaseMs);
  }

  /**
   * @returns a function that says whether the lease has lasted without a gap since this call. If not, do not attempt rows claimed
   *   before this call: another process may have attempted them
   */
  watch(): () => boolean {
    const count = this.#gaps;
    return () => this.#gaps === count && performance.now() < this.#heldUntilMs;
  }

  /** Runs `work`, and keeps the lease renewed until it ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#inFlight += 1;
    if (this.#inFlight === 1) this.#renewing.wake();
    try {
      return await work();
    } finally {
      this.#inFlight -= 1;
    }
  }

  /**
   * Releases the rows of other processes whose lease has expired, and wakes their lanes. Skips the rows of this process, which
   * renews its lease instead.
   *
   * @param includeLive releases the rows of every other process. For a store that serves one process: all others must have ended
   */
  async releaseExpired({ includeLive = false } = {}): Promise<void> {
    const isOtherProcess = sql`id <> ${this.processId}`;
    await this.#release(includeLive ? isOtherProcess : sql`${isOtherProcess} and lease_until < now()`);
  }

  /**
   * Releases the rows of this process except those it is attempting. Call it after an error, when it is unknown which claims were
   * committed.
   */
  async releaseStrayLeases(queue: QueueName, tokens: readonly number[]): Promise<void> {
    await sql`
      with freed as (
        delete from outbox_leases
        where process_id = ${this.processId} and queue = ${queue}
          and token <> all (array(select json_array_elements_text(${JSON.stringify(tokens)}::text::json)::int8))
        returning queue, lane
      )
      ${wakeReleased}`.execute(this.#store.db);
  }

  /**
   * Uses one statement to read one snapshot: another process that releases rows deletes their leases and wakes their lanes in one
   * transaction.
   */
  async nextPoll(queue: QueueName): Promise<NextPoll> {
    const { rows } = await sql<{ wakeup: number | null; lapse: number | null }>`
      select
        extract(epoch from (select min(at) from outbox_wakeups where queue = ${queue}) - now())::float8 * 1000 as wakeup,
        extract(epoch from (select min(lease_until) from outbox_processes where id <> ${this.processId}) - now())::float8 * 1000
          as lapse`.execute(this.#store.db);
    return {
      wakeupMs: rows[0]?.wakeup ?? Number.POSITIVE_INFINITY,
      expiryMs: rows[0]?.lapse ?? Number.POSITIVE_INFINITY,
    };
  }

  /** Releases the rows that this process is still attempting, so that others can claim them immediately. */
  async stop(): Promise<void> {
    await this.#renewing.stop();
    await this.#release(sql`id = ${this.processId}`);
  }

  /** Skips processes whose rows a transaction is settling, even if it has stalled: a later call releases them. */
  async #release(which: ReturnType<typeof sql>): Promise<void> {
    await this.#store.transaction(async (trx) => {
      // While these rows are locked, their processes cannot claim any rows.
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
        ${wakeReleased}`.execute(trx);
      await sql`
        delete from outbox_processes where id in ${ended}
          and not exists (select from outbox_leases where process_id = outbox_processes.id)`.execute(trx);
    });
  }
}

/** A part of a statement: wakes the lanes whose leases the part `freed` deletes, because they have room for more rows. */
const wakeReleased = insertWakeups(sql`select distinct queue, lane, now() from freed`);

/**
 * Ends leases, wakes their lanes, and returns what this process still held (fencing). Every transaction that settles rows
 * must start with it.
 *
 * @returns those of `attempted` whose token still existed. The other rows belong to another process by now, so do not settle them
 */
export async function endLeases<Attempted extends { lease: Lease }>(
  trx: Trx,
  queue: QueueName,
  attempted: readonly Attempted[],
): Promise<Attempted[]> {
  await lockSettlingShared(trx, queue);
  const leases = attempted.map(({ lease }) => lease);
  const { rows } = await sql<{ token: number }>`
    with freed as (
      delete from outbox_leases
      using json_to_recordset(${JSON.stringify(leases)}::text::json) as given ("rowId" int8, token int8)
      where queue = ${queue} and row_id = given."rowId" and outbox_leases.token = given.token
      returning outbox_leases.token, queue, lane
    ), woken as (${wakeReleased})
    select token from freed`.execute(trx);
  const ended = new Set(rows.map(({ token }) => token));
  return attempted.filter(({ lease }) => ended.has(lease.token));
}
