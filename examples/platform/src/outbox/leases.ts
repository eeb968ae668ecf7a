import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Store, Trx } from "../store/store.ts";
import type { QueueName } from "../store/tables.ts";
import { insertWakeups, type Lease, lockSettlingShared, type OutboxQueue } from "./queue.ts";
import { type Loop, runLoop } from "./timers.ts";

export interface LeasesOptions {
  /**
   * How long a lease lasts (visibility timeout). After a process crashes or stalls, other processes wait this long before they
   * claim its rows (D-70). @default 4
   */
  leaseSeconds?: number;
  onError: (error: unknown) => void;
}

/** When to poll a queue next, by the database's clock. */
export interface NextPoll {
  /** The time until the queue's first wake-up; zero or negative if it is due, Infinity if the queue has no wake-up. */
  wakeupMs: number;
  /** The time until another process's lease expires; Infinity if no other process holds a lease. */
  expiryMs: number;
}

/**
 * A moment, by two clocks: performance.now() stops while the machine is suspended, and Date.now() can be set back. A lease ends as soon
 * as either of them says so.
 */
export interface Moment {
  monotonicMs: number;
  wallMs: number;
}

export const readClocks = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() });

/** Returns the time since a moment, by the clock that has advanced further. */
export const elapsedMs = ({ monotonicMs, wallMs }: Moment): number =>
  Math.max(performance.now() - monotonicMs, Date.now() - wallMs);

/** Creates the lease of this process. On PGlite, which serves one process, releases any rows that an earlier process still holds. */
export async function openLeases(store: Store, { leaseSeconds = 4, onError }: LeasesOptions): Promise<Leases> {
  const leases = new Leases(store, leaseSeconds * 1_000, onError);
  if (store.name === "pglite") await leases.releaseExpired({ includeLive: true });
  return leases;
}

/**
 * The lease of this process on all rows that it attempts. The lease is one database row, which is renewed while attempts are running.
 * Once the lease expires, other processes may claim the attempted rows (D-70). Results from this process are then discarded, because
 * their fencing tokens have been deleted.
 */
export class Leases {
  readonly processId = randomUUID();
  readonly #store: Store;
  /** How long a lease lasts if it is not renewed, in milliseconds. */
  readonly leaseMs: number;
  readonly #renewing: Loop;
  #inFlight = 0;
  /** When the last renewal was sent. The lease is certain to last for `leaseMs` after that. */
  #renewedAt: Moment = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY };
  /** How many times the lease was started: for the first claim, and after each time it expired. */
  #gapCount = 0;

  /** @param leaseMs how long the lease lasts, by the database's clock */
  constructor(store: Store, leaseMs: number, onError: (error: unknown) => void) {
    this.#store = store;
    this.leaseMs = leaseMs;
    const renew = async (): Promise<number> => {
      if (this.#inFlight === 0) return Number.POSITIVE_INFINITY;
      // Renew when a quarter of the lease has passed. Each claim also renews the lease, so this may not be the case yet.
      const untilRenewalMs = leaseMs / 4 - elapsedMs(this.#renewedAt);
      if (untilRenewalMs > 0) return untilRenewalMs;
      const sentAt = readClocks();
      await this.renewIn(store.db);
      this.recordRenewal(sentAt);
      return leaseMs / 4;
    };
    this.#renewing = runLoop(renew, onError);
  }

  /**
   * Starts or renews the lease. Never shortens it, because a claim's `now()` is the start of its transaction, and a renewal that was
   * sent later may be committed earlier. In a transaction, this also prevents other processes from ending the lease until the commit.
   */
  async renewIn(db: Store["db"]): Promise<void> {
    await sql`
      insert into outbox_processes (id, lease_until) values (${this.processId}, now() + ${this.leaseMs}::float8 * interval '1 ms')
      on conflict (id) do update set lease_until = greatest(outbox_processes.lease_until, excluded.lease_until)`.execute(
      db,
    );
  }

  /**
   * Records a renewal. Call it when the database has replied. The renewal took effect at an unknown time after `sentAt`, so if
   * the lease has expired in the meantime, there may have been a gap.
   *
   * @param sentAt when the renewal, or the `begin` of its transaction, was sent
   */
  recordRenewal(sentAt: Moment): void {
    if (this.#hasExpired()) this.#gapCount += 1;
    if (sentAt.monotonicMs > this.#renewedAt.monotonicMs) this.#renewedAt = sentAt;
  }

  #hasExpired = (): boolean => elapsedMs(this.#renewedAt) >= this.leaseMs;

  /**
   * Starts to watch the lease for gaps.
   *
   * @returns a function that returns whether the lease has lasted without a gap since this call. If not, do not attempt rows that were
   *   claimed before this call, because another process may have attempted them
   */
  watchForGaps(): () => boolean {
    const gapsBefore = this.#gapCount;
    return () => this.#gapCount === gapsBefore && !this.#hasExpired();
  }

  /** Runs `work` and renews the lease until it ends. */
  async renewWhile<T>(work: () => Promise<T>): Promise<T> {
    this.#inFlight += 1;
    if (this.#inFlight === 1) this.#renewing.wake();
    try {
      return await work();
    } finally {
      this.#inFlight -= 1;
    }
  }

  /**
   * Releases the rows of other processes whose leases have expired, and wakes their lanes. Skips the rows of this process, which
   * renews its lease instead.
   *
   * @param includeLive whether to release the rows of all other processes, even if their leases have not expired. Use it only for a
   *   store that serves one process, because all other processes must then have ended
   */
  async releaseExpired({ includeLive = false } = {}): Promise<void> {
    const isOtherProcess = sql`id <> ${this.processId}`;
    await this.#release(includeLive ? isOtherProcess : sql`${isOtherProcess} and lease_until < now()`);
  }

  /**
   * Releases all rows of this process except those with these tokens. Call it after an error, when it is unknown which claims were
   * committed.
   *
   * @param tokens the leases of the rows that the process is attempting
   */
  async releaseStrayLeases(queue: QueueName, tokens: readonly number[]): Promise<void> {
    await sql`
      with freed as (
        delete from outbox_leases
        where process_id = ${this.processId} and queue = ${queue}
          and token <> all (array(select json_array_elements_text(${JSON.stringify(tokens)}::text::json)::int8))
        returning queue, lane
      )
      ${wakeFreedLanes}`.execute(this.#store.db);
  }

  /**
   * Returns when to poll the queue next. Uses one statement to read one snapshot, because a process that releases rows deletes their
   * leases and wakes their lanes in one transaction.
   */
  async nextPoll(queue: QueueName): Promise<NextPoll> {
    const { rows } = await sql<{ wakeup: number | null; expiry: number | null }>`
      select
        extract(epoch from (select min(at) from outbox_wakeups where queue = ${queue}) - now())::float8 * 1000 as wakeup,
        extract(epoch from (select min(lease_until) from outbox_processes where id <> ${this.processId}) - now())::float8 * 1000
          as expiry`.execute(this.#store.db);
    return {
      wakeupMs: rows[0]?.wakeup ?? Number.POSITIVE_INFINITY,
      expiryMs: rows[0]?.expiry ?? Number.POSITIVE_INFINITY,
    };
  }

  /** Stops renewals and releases the rows that this process is still attempting, so that others can claim them immediately. */
  async stop(): Promise<void> {
    await this.#renewing.stop();
    await this.#release(sql`id = ${this.processId}`);
  }

  /** Releases the rows of the processes that match. Skips rows that a transaction is settling. A later call releases these rows. */
  async #release(condition: ReturnType<typeof sql>): Promise<void> {
    await this.#store.transaction(async (trx) => {
      // While their rows are locked, these processes cannot claim any rows.
      const { rows } = await sql<{ id: string }>`
        select id from outbox_processes where ${condition} for update skip locked`.execute(trx);
      if (rows.length === 0) return;
      const endedIds = sql`(select json_array_elements_text(${JSON.stringify(rows.map(({ id }) => id))}::text::json)::uuid)`;
      await sql`
        with freed as (
          delete from outbox_leases where (queue, row_id) in (
            select queue, row_id from outbox_leases where process_id in ${endedIds} for update skip locked)
          returning queue, lane
        )
        ${wakeFreedLanes}`.execute(trx);
      await sql`
        delete from outbox_processes where id in ${endedIds}
          and not exists (select from outbox_leases where process_id = outbox_processes.id)`.execute(trx);
    });
  }
}

/** The end of a statement. It wakes the lanes whose leases the CTE `freed` deletes, because these lanes now have free slots. */
const wakeFreedLanes = insertWakeups(sql`select distinct queue, lane, now() from freed`);

/**
 * Ends leases, and wakes their lanes. Every transaction that settles rows must start with this call.
 *
 * @returns the rows that were still leased to this process (fencing). Another process may have claimed the other rows
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
    ), woken as (${wakeFreedLanes})
    select token from freed`.execute(trx);
  const endedTokens = new Set(rows.map(({ token }) => token));
  return attempted.filter(({ lease }) => endedTokens.has(lease.token));
}

/**
 * Ends the lease on a row that this process can neither settle nor attempt, counts the attempt, and makes the row due in a minute, or up
 * to 17 hours after several such attempts (D-155). Otherwise, the row would be claimed and sent again immediately, and for ever.
 */
export async function postponeRow(trx: Trx, { name, table, id, lane }: OutboxQueue, lease: Lease): Promise<void> {
  if ((await endLeases(trx, name, [{ lease }])).length === 0) return;
  const isInLane = lane === undefined ? sql`true` : sql`${sql.ref(lane)} = ${lease.lane}`;
  await sql`
    update ${sql.table(table)}
    set attempts = attempts + 1, due_at = now() + 2 ^ least(attempts, 10) * interval '1 minute'
    where ${sql.ref(id)} = ${lease.rowId} and ${isInLane} and due_at is not null`.execute(trx);
}
