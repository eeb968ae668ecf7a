import { sql } from "kysely";
import type { Queue } from "../queue/queue.ts";
import type { Trx } from "../store/store.ts";

/** In one transaction: a hundred thousand would keep everybody else waiting. */
export const heldPerBatch = 1_000;

/**
 * Holds pending deliveries of disabled endpoints (D-73). Those that somebody settles at this moment are
 * left to the next batch: waiting for them could be mutual.
 *
 * @returns whether there may be more
 */
export async function holdDeliveries(trx: Trx, queue: Queue): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update deliveries set state = 'held'
    where id = any (array(
      select deliveries.id
      from endpoints
      join deliveries on deliveries.organisation_id = endpoints.organisation_id
      where disabled_at is not null and state = 'pending'
      limit ${heldPerBatch}
      for update of deliveries skip locked
    ))
    returning id`.execute(trx);
  await queue.forget(
    trx,
    "deliveries",
    rows.map(({ id }) => id),
  );
  return rows.length === heldPerBatch;
}
