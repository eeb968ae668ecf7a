import { randomUUID } from "node:crypto";
import { isWaiting, lockOrder } from "../delivery/pending-delivery.ts";
import type { components } from "../generated/openapi.ts";
import type { Queue } from "../queue/queue.ts";
import type { Trx } from "../store/store.ts";

/** Something that happened, in the words of the webhook that tells it. */
export type EventToRecord =
  | { type: "workerOfferResponse"; data: components["schemas"]["WorkerOfferResponse"] }
  | { type: "workerAddedContact"; data: { workerId: string } };

export interface RecordedEvent {
  eventId: string;
  /** Absent when the organisation has no endpoint: the event is kept, nobody is told. */
  deliveryId?: string;
}

/**
 * Writes the event, and for an organisation with an endpoint its delivery and the job, in the caller's transaction: all
 * of it happens with the caller's change, or nothing. While the endpoint is disabled the delivery is held.
 *
 * @param organisationId whose endpoint is told
 */
export async function recordEvent(
  trx: Trx,
  queue: Queue,
  organisationId: string,
  event: EventToRecord,
): Promise<RecordedEvent> {
  const eventId = randomUUID();
  await trx
    .insertInto("events")
    .values({ id: eventId, organisation_id: organisationId, type: event.type, data: JSON.stringify(event.data) })
    .execute();
  const endpoint = await trx
    .selectFrom("endpoints")
    .select("disabled_at")
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (endpoint === undefined) return { eventId };

  const deliveryId = randomUUID();
  const orderKey = orderKeyOf(eventId, event);
  // Either the transaction that settles the older one sees ours, or we see that it is settled.
  const others = await lockOrder(trx, { organisationId, orderKey });
  // D-73
  const state = endpoint.disabled_at === null ? "pending" : "held";
  await trx
    .insertInto("deliveries")
    .values({ id: deliveryId, event_id: eventId, organisation_id: organisationId, order_key: orderKey, state })
    .execute();
  // Behind an older one it gets its job when that one is settled.
  if (state === "pending" && !others.some((other) => isWaiting(other.state)))
    await queue.enqueue(trx, "deliveries", [{ key: deliveryId, group: organisationId }]);
  return { eventId, deliveryId };
}

/** A worker's responses to one offer arrive in the order they were given. Nothing else needs an order (D-32). */
function orderKeyOf(eventId: string, event: EventToRecord): string {
  if (event.type === "workerOfferResponse") return JSON.stringify([event.data.offerId, event.data.workerId]);
  return eventId;
}
