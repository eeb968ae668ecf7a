import { sql } from "kysely";
import type { Store } from "../../src/store/store.ts";
import type { QueueName } from "../../src/store/tables.ts";
import type { DeliveryFixture } from "./delivery-fixture.ts";
import { eventually } from "./eventually.ts";

/** A clock that a test advances. The database clock decides which rows are due, so `advance` moves their due times into the past. */
export interface VirtualTime {
  now(): Date;
  /** Waits until no row is being worked on and no lane is due. */
  waitUntilIdle(): Promise<void>;
  /** Advances the clock. Call it only after `waitUntilIdle()`. Otherwise, a row that is written during the call could move twice. */
  advance(ms: number): Promise<void>;
  /** Returns when the next attempt is due, or undefined if none is scheduled. */
  nextDueAt(): Promise<Date | undefined>;
  /** Advances from each due attempt to the next until `condition` is true. */
  advanceUntil(condition: () => boolean | Promise<boolean>): Promise<void>;
}

export interface VirtualTimeOptions {
  /** The queue whose rows are processed. @default webhooks */
  queue?: QueueName;
  /** Returns how many attempts hang until the test ends them. `waitUntilIdle()` does not wait for these. @default returns 0 */
  countHanging?: () => number;
}

export function createVirtualTime({ store, wake }: DeliveryFixture, options: VirtualTimeOptions = {}): VirtualTime {
  const { queue = "webhooks", countHanging = () => 0 } = options;
  let offsetMs = 0;
  const now = (): Date => new Date(Date.now() + offsetMs);
  const time: VirtualTime = {
    now,
    waitUntilIdle: () => eventually("the queue is idle", async () => !(await isBusy(store, queue, countHanging))),
    async advance(ms) {
      offsetMs += ms;
      await moveDueTimes(store, ms);
      wake();
    },
    async nextDueAt() {
      const { rows } = await sql<{ dueAt: Date | null }>`
        select min(at) + ${offsetMs}::int8 * interval '1 ms' as "dueAt"
        from outbox_wakeups where queue = ${queue}`.execute(store.db);
      return rows[0]?.dueAt ?? undefined;
    },
    async advanceUntil(condition) {
      for (;;) {
        await time.waitUntilIdle();
        if (await condition()) return;
        const dueAt = await time.nextDueAt();
        // If `dueAt` is undefined, the last attempt has just started. Otherwise, advance one millisecond further, because `dueAt` has no
        // microseconds.
        if (dueAt !== undefined) await time.advance(Math.max(1, dueAt.getTime() - now().getTime() + 1));
      }
    },
  };
  return time;
}

/** Moves all due times into the past by `ms`. */
async function moveDueTimes(store: Store, ms: number): Promise<void> {
  const interval = sql`${ms}::int8 * interval '1 ms'`;
  await store.transaction(async (trx) => {
    for (const table of ["deliveries", "notifications", "mails"])
      await sql`update ${sql.table(table)} set due_at = due_at - ${interval} where due_at is not null`.execute(trx);
    // Move rows in two steps. `at` is part of the key, and a moved row must not collide with a row that has not moved yet.
    await sql`update outbox_wakeups set at = at - ${interval} - interval '365000 days'`.execute(trx);
    await sql`update outbox_wakeups set at = at + interval '365000 days'`.execute(trx);
  });
}

/** Returns whether a row is being worked on (other than by hanging attempts) or a lane is due. */
async function isBusy(store: Store, queue: QueueName, countHanging: () => number): Promise<boolean> {
  const hangingBefore = countHanging();
  const { rows } = await sql<{ busy: boolean }>`
    select (select count(*) from outbox_leases where queue = ${queue}) <> ${hangingBefore}
      or exists (select from outbox_wakeups where queue = ${queue} and at <= now()) as busy`.execute(store.db);
  // If the number of hanging attempts has changed during the query, the result is unreliable.
  return hangingBefore !== countHanging() || (rows[0]?.busy ?? true);
}
