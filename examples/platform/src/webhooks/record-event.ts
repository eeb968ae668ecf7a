import type { components } from "@offers/contract/openapi";
import { type Insertable, type Selectable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { wakeLanes } from "../outbox/queue.ts";
import { announce, type Trx } from "../store/store.ts";
import type { DeliveryTable } from "../store/tables.ts";
import { activeTrace } from "../tracing/tracing.ts";

/** An event and the payload of its webhook. */
export type EventToRecord =
  | { type: "workerOfferResponse"; data: components["schemas"]["WorkerOfferResponse"] }
  | { type: "workerAddedContact"; data: { workerId: string } };

export interface RecordedEvent {
  eventId: string;
  /** Absent if the organisation has no endpoint. The event is stored, but no webhook is sent. */
  deliveryId?: string;
}

/**
 * Records an event in the caller's transaction, and a delivery if the organisation has an endpoint. The caller's change and the
 * delivery are committed together or not at all (a transactional outbox). The delivery row is also the queue entry. Wakes the
 * endpoint's lane and announces the delivery.
 *
 * @param organisationId the organisation whose endpoint is called
 */
export async function recordEvent(trx: Trx, organisationId: string, event: EventToRecord): Promise<RecordedEvent> {
  // Use increasing ids, so that indexes grow at the end.
  const eventId = uuidv7();
  await trx
    .insertInto("events")
    .values({
      id: eventId,
      organisation_id: organisationId,
      type: event.type,
      data: JSON.stringify(event.data),
      trace: activeTrace(),
    })
    .execute();
  announce(trx, { topic: "delivery", organisationId });
  const endpoint = await trx
    .selectFrom("endpoints")
    .select("organisation_id")
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (endpoint === undefined) return { eventId };

  // Use the same id in the feed and the webhook, so that a receiver recognises the event (D-136).
  const deliveryId = eventId;
  const orderKey = toOrderKey(eventId, event);
  const row = { id: deliveryId, event_id: eventId, organisation_id: organisationId, order_key: orderKey };
  const isFirst = await insertIfFirst(trx, row);
  if (!isFirst) await trx.insertInto("deliveries").values(row).execute();
  await wakeLanes(trx, "webhooks", [organisationId]);
  return { eventId, deliveryId };
}

/**
 * Returns the event's order key. A worker's responses to one offer share a key, so that they arrive in order. Other events may
 * arrive in any order (D-32).
 */
function toOrderKey(eventId: string, event: EventToRecord): string {
  if (event.type === "workerOfferResponse") return JSON.stringify([event.data.offerId, event.data.workerId]);
  return eventId;
}

/** A SQL expression for the order key of a worker's response to an offer, for rows with `offer_id` and `worker_id`. */
export const responseOrderKey = sql<string>`'[' || to_json(offer_id)::text || ',' || to_json(worker_id)::text || ']'`;

/**
 * Inserts a due delivery, unless an older delivery with the same order key is pending. In that case, locks the older delivery, so that
 * the transaction that settles it waits for this transaction, and then makes the new delivery due.
 *
 * @returns whether the delivery was inserted
 */
async function insertIfFirst(trx: Trx, row: Insertable<DeliveryTable>): Promise<boolean> {
  for (;;) {
    const olderDeliveries = await lockOrderKey(trx, row);
    if (olderDeliveries.some(({ state }) => state === "pending")) return false;
    const insertedRow = await trx
      .insertInto("deliveries")
      .values({ ...row, due_at: sql<Date>`now()` })
      .onConflict((conflict) =>
        conflict.columns(["organisation_id", "order_key"]).where("due_at", "is not", null).doNothing(),
      )
      .returning("id")
      .executeTakeFirst();
    if (insertedRow !== undefined) return true;
    // Another transaction has inserted the first delivery with this order key. The next iteration locks it.
  }
}

type OrderKey = Pick<Selectable<DeliveryTable>, "organisation_id" | "order_key">;

/**
 * Locks the deliveries with an order key that may still be attempted, oldest first. Until this transaction ends, no other transaction
 * can settle, redeliver or overtake them. Includes failed deliveries and the latest delivery, because they can be redelivered.
 */
async function lockOrderKey(trx: Trx, { organisation_id, order_key }: OrderKey) {
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
