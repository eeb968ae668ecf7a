import { sql } from "kysely";
import type { ClaimedJob, JobToEnqueue, Queue } from "../../src/queue/queue.ts";
import type { Store } from "../../src/store/store.ts";
import { eventually } from "./eventually.ts";
import type { LowerHalf } from "./lower-half.ts";

/** Time that a test moves. The queue goes by the database's clock, so its jobs are moved instead, by as much. */
export interface VirtualTime {
  /** In the place of the lower half's own. */
  queue: Queue;
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

export function virtualTime({ store, queue }: LowerHalf): VirtualTime {
  let offsetMs = 0;
  const now = (): Date => new Date(Date.now() + offsetMs);
  const real = <Job extends Partial<JobToEnqueue>>(job: Job): Job =>
    job.startAfter === undefined ? job : { ...job, startAfter: new Date(job.startAfter.getTime() - offsetMs) };
  const time: VirtualTime = {
    queue: {
      enqueue: (trx, name, jobs) => queue.enqueue(trx, name, jobs.map(real)),
      claim: (name, options) => queue.claim(name, options),
      renew: (name, jobs) => queue.renew(name, jobs),
      settle: (trx, name, jobs) => queue.settle(trx, name, jobs),
      defer: (trx, name, jobs) => queue.defer(trx, name, jobs.map(real<ClaimedJob & Omit<JobToEnqueue, "key">>)),
      release: (name, jobs) => queue.release(name, jobs),
      forget: (trx, name, keys) => queue.forget(trx, name, keys),
      hasten: (trx, name, keys) => queue.hasten(trx, name, keys),
      withoutJob: (name, key) => queue.withoutJob(name, key),
      stop: () => queue.stop(),
    },
    now,
    quiet: () => eventually("nothing is left to do now", async () => !(await isBusy(store, now()))),
    async advance(ms) {
      offsetMs += ms;
      await store.execute("update pgboss.job set start_after = start_after - $1::int8 * interval '1 ms'", [ms]);
    },
    async nextAt() {
      const { rows } = await sql<{ due: Date | null }>`
        select min(greatest(start_after + ${offsetMs}::int8 * interval '1 ms', breaker_open_until)) as due
        from pgboss.job join endpoints on organisation_id = group_id
        where name = 'deliveries' and state < 'active'`.execute(store.db);
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

/** Whether a job is being worked on or due, or the sweep has something to do. */
async function isBusy(store: Store, now: Date): Promise<boolean> {
  const { rows } = await sql<{ busy: boolean }>`
    select
      exists (select from pgboss.job where name = 'deliveries' and state = 'active')
      or exists (
        select from pgboss.job left join endpoints on organisation_id = group_id
        where name = 'deliveries' and state < 'active' and start_after <= now()
          and (breaker_open_until is null or breaker_open_until <= ${now}))
      or exists (
        select from deliveries join endpoints using (organisation_id)
        where (state = 'held' and disabled_at is null) or (state = 'pending' and disabled_at is not null))
      or exists (
        select from deliveries
        where state = 'pending'
          and not exists (select from pgboss.job where name = 'deliveries' and singleton_key = deliveries.id)
          and not exists (
            select from deliveries as older
            where older.organisation_id = deliveries.organisation_id and older.order_key = deliveries.order_key
              and older.sequence < deliveries.sequence and older.state in ('pending', 'held')))
      as busy`.execute(store.db);
  return rows[0]?.busy ?? true;
}
