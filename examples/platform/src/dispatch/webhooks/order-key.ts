import { type Selectable, sql } from "kysely";
import type { Trx } from "../../store/store.ts";
import type { DeliveryTable } from "../../store/tables.ts";

/** Deliveries that arrive in the order of their events: a worker's responses to one offer (D-32). */
export type OrderKey = Pick<Selectable<DeliveryTable>, "organisation_id" | "order_key">;

/** As `orderKeyOf` writes it for a worker's response to an offer, over a row with `offer_id` and `worker_id`. */
export const responseOrderKey = sql<string>`'[' || to_json(offer_id)::text || ',' || to_json(worker_id)::text || ']'`;

/**
 * Locks the rows of an order key that may still be attempted, oldest first, until the end of the transaction: no other
 * transaction settles, redelivers or overtakes them meanwhile. Dead ones and the latest too, since they can be redelivered.
 */
export async function lockOrder(trx: Trx, { organisation_id, order_key }: OrderKey) {
  const { rows } = await sql<Pick<Selectable<DeliveryTable>, "id" | "sequence" | "state">>`
    select id, sequence, state from deliveries
    where organisation_id = ${organisation_id} and sequence = any (array(
      select sequence from deliveries
      where organisation_id = ${organisation_id} and order_key = ${order_key} and state <> 'acknowledged'
      union all
      (select sequence from deliveries where organisation_id = ${organisation_id} and order_key = ${order_key}
      order by sequence desc limit 1)
    ))
    order by sequence
    for update`.execute(trx);
  return rows;
}

/**
 * Makes the oldest pending delivery of each order key due. A statement of its own, after the one that settled those before:
 * its snapshot has the deliveries whose inserts that one waited for.
 *
 * It does not ask for `state = 'pending'`: without statistics, PGlite read all pending deliveries of the organisation for each
 * key then, by their index.
 */
export async function releaseNext(trx: Trx, keys: readonly OrderKey[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    update deliveries set due_at = now() where (organisation_id, sequence) in (
      select oldest.organisation_id, oldest.sequence
      from json_to_recordset(${JSON.stringify(keys)}::text::json) as key (organisation_id text, order_key text)
      cross join lateral (
        select organisation_id, sequence, due_at from deliveries
        where organisation_id = key.organisation_id and order_key = key.order_key and state not in ('acknowledged', 'dead')
        order by sequence
        limit 1
      ) as oldest
      where oldest.due_at is null
    )`.execute(trx);
}
