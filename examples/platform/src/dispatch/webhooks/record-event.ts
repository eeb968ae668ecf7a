import { type Insertable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { components } from "../../generated/openapi.ts";
import type { Trx } from "../../store/store.ts";
import type { DeliveryTable } from "../../store/tables.ts";
import { wakeLanes } from "../outbox/wake-lanes.ts";
import { lockOrder } from "./order-key.ts";

/** Something that happened, with the payload of its webhook. */
export type EventToRecord =
  | { type: "workerOfferResponse"; data: components["schemas"]["WorkerOfferResponse"] }
  | { type: "workerAddedContact"; data: { workerId: string } };

export interface RecordedEvent {
  eventId: string;
  /** Absent when the organisation has no endpoint: the event is kept, and no webhook is sent. */
  deliveryId?: string;
}

/**
 * Writes the event, and for an organisation with an endpoint its delivery, in the caller's transaction: all of it happens with
 * the caller's change, or nothing (a transactional outbox). The delivery's row is its place in the queue.
 *
 * @param organisationId whose endpoint is called
 */
export async function recordEvent(trx: Trx, organisationId: string, event: EventToRecord): Promise<RecordedEvent> {
  // Ascending, so that the indexes grow at their end: with random ids, PostgreSQL delivered a twentieth less.
  const eventId = uuidv7();
  await trx
    .insertInto("events")
    .values({ id: eventId, organisation_id: organisationId, type: event.type, data: JSON.stringify(event.data) })
    .execute();
  const endpoint = await trx
    .selectFrom("endpoints")
    .select("organisation_id")
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (endpoint === undefined) return { eventId };

  const deliveryId = uuidv7();
  const orderKey = orderKeyOf(eventId, event);
  const row = { id: deliveryId, event_id: eventId, organisation_id: organisationId, order_key: orderKey };
  const isFirst = await insertFirst(trx, row);
  if (!isFirst) await trx.insertInto("deliveries").values(row).execute();
  await wakeLanes(trx, "webhooks", [organisationId]);
  return { eventId, deliveryId };
}

/**
 * Inserts a delivery as the one of its order key that is due, unless an older one waits. That one is locked then: the
 * transaction that settles it sees ours, and makes it due.
 */
async function insertFirst(trx: Trx, row: Insertable<DeliveryTable>): Promise<boolean> {
  for (;;) {
    const older = await lockOrder(trx, row);
    if (older.some(({ state }) => state === "pending")) return false;
    const inserted = await trx
      .insertInto("deliveries")
      .values({ ...row, due_at: sql<Date>`now()` })
      .onConflict((conflict) =>
        conflict.columns(["organisation_id", "order_key"]).where("due_at", "is not", null).doNothing(),
      )
      .returning("id")
      .executeTakeFirst();
    // Otherwise the first two of an order key are recorded at once: now there is one to lock.
    if (inserted !== undefined) return true;
  }
}

/** A worker's responses to one offer arrive in the order they were given. Nothing else needs an order (D-32). */
function orderKeyOf(eventId: string, event: EventToRecord): string {
  if (event.type === "workerOfferResponse") return JSON.stringify([event.data.offerId, event.data.workerId]);
  return eventId;
}
