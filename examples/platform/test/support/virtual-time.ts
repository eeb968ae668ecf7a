import { sql } from "kysely";
import type { Store } from "../../src/store/store.ts";
import type { QueueName } from "../../src/store/tables.ts";
import { eventually } from "./eventually.ts";
import type { LowerHalf } from "./lower-half.ts";

/** Time that a test moves. Due times are of the database's clock, so they are moved instead, by as much. */
export interface VirtualTime {
  now(): Date;
  /** Waits until there is nothing left to do now. */
  quiet(): Promise<void>;
  /** To be called while it is quiet: what is just being written would be moved twice. */
  advance(ms: number): Promise<void>;
  /** When the next attempt is due; undefined when there is none. */
  nextAt(): Promise<Date | undefined>;
  /** Goes on until `condition` holds, from each due attempt to the next. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
}

export interface VirtualTimeOptions {
  /** Whose rows are worked on. @default webhooks */
  queue?: QueueName;
  /** How many attempts hang until the test ends them: nothing else is waited for. @default none */
  hanging?: () => number;
}

export function virtualTime({ store, wake }: LowerHalf, options: VirtualTimeOptions = {}): VirtualTime {
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
        // Far away first: a row must not take the place of another that has not moved yet.
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
        // Without any, what was to come has just begun.
        if (next !== undefined) await time.advance(Math.max(1, next.getTime() - now().getTime() + 1));
      }
    },
  };
  return time;
}

/** Whether a row is being worked on, or a lane is to be looked at. */
async function isBusy(store: Store, queue: QueueName, hanging: () => number): Promise<boolean> {
  const hung = hanging();
  const { rows } = await sql<{ busy: boolean }>`
    select (select count(*) from outbox_leases where queue = ${queue}) <> ${hung}
      or exists (select from outbox_wakeups where queue = ${queue} and at <= now()) as busy`.execute(store.db);
  return hung !== hanging() || (rows[0]?.busy ?? true);
}
