import { sql } from "kysely";
import { announce, type Store } from "../store/store.ts";
import { insertWakeups, lockSettling, type OutboxQueue, wakeLanes } from "./queue.ts";

/** A smaller step delays a retry by no more than this. */
const toleranceMs = 10_000;

/** Notices that a clock was set back: it has advanced by less than the monotonic clock of this process. */
export class ClockWatch {
  #last: { clockMs: number; atMs: number } | undefined;

  /**
   * @param atMs at the latest when `clockMs` was read, by performance.now()
   * @returns by how much it was set back since `note`; 0 for less than ten seconds
   */
  setBackMs(clockMs: number, atMs: number): number {
    if (this.#last === undefined) return 0;
    const byMs = this.#last.clockMs + atMs - this.#last.atMs - clockMs;
    return byMs > toleranceMs ? byMs : 0;
  }

  /** @param atMs not before `clockMs` was read, by performance.now() */
  note(clockMs: number, atMs: number): void {
    this.#last = { clockMs, atMs };
  }
}

/**
 * Moves the due times of a queue back with the database's clock. Otherwise a retry that was planned while the clock was three hours
 * ahead would come in three hours, and the rows of its order key would wait for it.
 *
 * For a store that serves one process, which does this once it notices. What is planned in between comes early by then, which an
 * endpoint can bear: its lane limits the attempts.
 *
 * @param leaseMs no lease lasts longer than this
 */
export async function setBackDueTimes(
  store: Store,
  { name, table, id }: OutboxQueue,
  { byMs, leaseMs }: { byMs: number; leaseMs: number },
): Promise<void> {
  const by = sql`${byMs}::float8 * interval '1 ms'`;
  const column = sql.ref(id);
  await store.transaction(async (trx) => {
    // A settling transaction beside this one would plan by the old clock.
    await lockSettling(trx, name);
    const longest = sql`now() + ${leaseMs}::float8 * interval '1 ms'`;
    await sql`
      update outbox_processes set lease_until = ${longest} where id in (
        select id from outbox_processes where lease_until > ${longest} order by id for update)`.execute(trx);
    await sql`
      update ${sql.table(table)} set due_at = due_at - ${by} where ${column} in (
        select ${column} from ${sql.table(table)} where due_at > now() order by ${column} for update)`.execute(trx);
    await sql`
      with moved as (delete from outbox_wakeups where queue = ${name} and at > now() returning at, lane)
      ${insertWakeups(sql`select ${name}, at - ${by}, lane from moved`)}`.execute(trx);
  });
}

/** The same for the pauses of circuit breakers, which follow the clock of the process that opened them. */
export async function setBackPauses(store: Store, { byMs, now }: { byMs: number; now: Date }): Promise<void> {
  await store.transaction(async (trx) => {
    const { rows } = await sql<{ lane: string }>`
      update endpoints set breaker_open_until = breaker_open_until - ${byMs}::float8 * interval '1 ms'
      where organisation_id in (
        select organisation_id from endpoints where breaker_open_until > ${now} order by organisation_id for update)
      returning organisation_id as lane`.execute(trx);
    const lanes = rows.map(({ lane }) => lane);
    await wakeLanes(trx, "webhooks", lanes);
    announce(trx, ...lanes.map((organisationId) => ({ topic: "endpoint", organisationId }) as const));
  });
}
