import { sql } from "kysely";
import type { Store } from "../../src/store/store.ts";
import type { QueueName } from "../../src/store/tables.ts";
import type { DeliveryFixture } from "./delivery-fixture.ts";
import { eventually } from "./eventually.ts";

/** A clock that a test advances. Due times depend on the database's clock, so `advance` moves them into the past instead. */
export interface VirtualTime {
  now(): Date;
  /** Waits until no row is being worked on and no lane is due. */
  quiet(): Promise<void>;
  /** Advances the clock. Call it after `quiet()`: a row that is written during the call would be moved twice. */
  advance(ms: number): Promise<void>;
  /** Returns when the next attempt is due, or undefined if none is. */
  nextAt(): Promise<Date | undefined>;
  /** Advances from each due attempt to the next until `condition` is true. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
}

export interface VirtualTimeOptions {
  /** The queue whose rows are processed. @default webhooks */
  queue?: QueueName;
  /** Returns how many attempts hang until the test ends them; `quiet()` does not wait for them. @default returns 0 */
  hanging?: () => number;
}

export function virtualTime({ store, wake }: DeliveryFixture, options: VirtualTimeOptions = {}): VirtualTime {
  const { queue = "webhooks", hanging = () => 0 } = options;
  let offsetMs = 0;
  const now = (): Date => new Date(Date.now() + offsetMs);
  const time: VirtualTime = {
    now,
    quiet: () => eventually("nothing is left to do now", async () => !(await isBusy(store, queue, hanging))),
    async advance(ms) {
      offsetMs += ms;
      const by = sql`${ms}::int8 * interval '1 ms'`;
      await store.transaction(async (trx) => {
        for (const table of ["deliveries", "notifications", "mails"])
          await sql`update ${sql.table(table)} set due_at = due_at - ${by} where due_at is not null`.execute(trx);
        // Move rows in two steps, because `at` is part of the key, and a moved row must not collide with one that has not moved yet.
        await sql`update outbox_wakeups set at = at - ${by} - interval '365000 days'`.execute(trx);
        await sql`update outbox_wakeups set at = at + interval '365000 days'`.execute(trx);
      });
      wake();
    },
    async nextAt() {
      const { rows } = await sql<{ due: Date | null }>`
        select min(at) + ${offsetMs}::int8 * interval '1 ms' as due
        from outbox_wakeups where queue = ${queue}`.execute(store.db);
      return rows[0]?.due ?? undefined;
    },
    async until(condition) {
      for (;;) {
        await time.quiet();
        if (await condition()) return;
        const next = await time.nextAt();
        // `next` is undefined if the last attempt has just started.
        if (next !== undefined) await time.advance(Math.max(1, next.getTime() - now().getTime() + 1));
      }
    },
  };
  return time;
}

/** Whether a row is being worked on, or a lane is due. */
async function isBusy(store: Store, queue: QueueName, hanging: () => number): Promise<boolean> {
  const hung = hanging();
  const { rows } = await sql<{ busy: boolean }>`
    select (select count(*) from outbox_leases where queue = ${queue}) <> ${hung}
      or exists (select from outbox_wakeups where queue = ${queue} and at <= now()) as busy`.execute(store.db);
  return hung !== hanging() || (rows[0]?.busy ?? true);
}
