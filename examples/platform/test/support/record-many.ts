import { wakeLanes } from "../../src/outbox/queue.ts";
import type { Store } from "../../src/store/store.ts";

export interface ManyEvents {
  organisationId: string;
  count: number;
  /** How many workers take turns responding to the same offer. */
  workerCount: number;
}

/** Records responses in bulk, as `recordEvent` would. Only each worker's first delivery is due. @returns the delivery ids */
export async function recordManyResponses(
  store: Store,
  { organisationId, count, workerCount }: ManyEvents,
): Promise<string[]> {
  const { db } = store;
  const responses = Array.from({ length: count }, (_, number) => ({
    number,
    id: `${number} of ${organisationId}`,
    data: { offerId: "offer-1", workerId: `worker-${number % workerCount}`, response: "accepted" },
  }));
  for (let start = 0; start < count; start += 1_000) {
    const rows = responses.slice(start, start + 1_000).map(({ id, data, number }) => ({
      event: {
        id,
        organisation_id: organisationId,
        type: "workerOfferResponse" as const,
        data: JSON.stringify(data),
      },
      delivery: {
        id,
        event_id: id,
        organisation_id: organisationId,
        order_key: JSON.stringify([data.offerId, data.workerId]),
        due_at: number < workerCount ? new Date(0) : null,
      },
    }));
    await db
      .insertInto("events")
      .values(rows.map(({ event }) => event))
      .execute();
    await db
      .insertInto("deliveries")
      .values(rows.map(({ delivery }) => delivery))
      .execute();
  }
  await store.transaction((trx) => wakeLanes(trx, "webhooks", [organisationId]));
  return responses.map(({ id }) => id);
}
