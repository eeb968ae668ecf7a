import { sql } from "kysely";
import type { Queue } from "../queue/queue.ts";
import type { Trx } from "../store/store.ts";
import { enqueueBatch } from "./enqueue-batch.ts";
import { heldPerBatch } from "./hold-deliveries.ts";

/**
 * Makes held deliveries of enabled endpoints pending, with the whole retry schedule before them (D-73). Oldest first,
 * so that in each order key the ones still held are later than those released: they wait behind them, as always.
 *
 * @param organisationId of one endpoint only
 * @returns whether there may be more
 */
export async function releaseDeliveries(trx: Trx, queue: Queue, now: Date, organisationId?: string): Promise<boolean> {
  const ours = organisationId === undefined ? sql`` : sql`and endpoints.organisation_id = ${organisationId}`;
  const { rows } = await sql<{ id: string }>`
    update deliveries set state = 'pending', attempts = 0, next_attempt_at = ${now}
    where id = any (array(
      select held.id
      from endpoints
      cross join lateral (
        select id, sequence from deliveries
        where deliveries.organisation_id = endpoints.organisation_id and state = 'held'
        order by sequence
        limit ${heldPerBatch}
        for update skip locked
      ) as held
      where disabled_at is null ${ours}
      limit ${heldPerBatch}
    ))
    returning id`.execute(trx);
  return enqueueBatch(trx, queue, rows);
}
