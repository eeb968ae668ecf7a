import { type RawBuilder, sql } from "kysely";
import type { Trx } from "../../store/store.ts";
import type { QueueName } from "../../store/tables.ts";

/**
 * On PostgreSQL, a process that stands still in the middle of a transaction that others wait for loses its connection after two
 * seconds, and with it every lock. PGlite has one process.
 */
export const standstillEnds = sql`set_config('idle_in_transaction_session_timeout', '2000', true)`;

const key = (queue: QueueName) => sql`hashtext(${`offers-platform settling ${queue}`})`;

/** To select first in a transaction that settles rows: any number at a time, but none beside `lockSettling`. */
export const shareSettling = (queue: QueueName): RawBuilder<unknown> =>
  sql`pg_advisory_xact_lock_shared(${key(queue)})`;

/** Waits for the transactions that settle rows of the queue, and keeps others from it until the end of this one. */
export async function lockSettling(trx: Trx, queue: QueueName): Promise<void> {
  await sql`select ${standstillEnds}, pg_advisory_xact_lock(${key(queue)})`.execute(trx);
}
