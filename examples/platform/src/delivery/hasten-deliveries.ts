import { sql } from "kysely";
import type { Queue } from "../queue/queue.ts";
import type { Store, Trx } from "../store/store.ts";
import { enqueueBatch } from "./enqueue-batch.ts";
import { heldPerBatch } from "./hold-deliveries.ts";

/**
 * Makes due what an endpoint's failures had put off, with the whole retry schedule before it (D-73): it has passed its checks
 * since, perhaps at another address. Should it end half way, the rest is attempted when its time comes.
 */
export async function hastenDeliveries(store: Store, queue: Queue, organisationId: string, now: Date): Promise<void> {
  while (await store.transaction((trx) => hastenBatch(trx, queue, organisationId, now)));
}

/** @returns whether there may be more */
async function hastenBatch(trx: Trx, queue: Queue, organisationId: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update deliveries set attempts = 0, next_attempt_at = ${now}
    where id = any (array(
      select id from deliveries
      where organisation_id = ${organisationId} and state = 'pending' and next_attempt_at > ${now}
      order by sequence
      limit ${heldPerBatch}
      for update skip locked
    ))
    returning id`.execute(trx);
  return enqueueBatch(trx, queue, rows);
}
