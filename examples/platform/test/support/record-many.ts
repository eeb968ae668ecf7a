import type { Store } from "../../src/store/store.ts";

export interface ManyEvents {
  organisationId: string;
  count: number;
  /** Of workers in turn, each to the same offer. */
  workers: number;
  state: "pending" | "held";
}

/** Writes responses as `recordEvent` does, but many at once, and without jobs: those the sweep gives. @returns their ids */
export async function recordMany({ db }: Store, { organisationId, count, workers, state }: ManyEvents) {
  const all = Array.from({ length: count }, (_, number) => ({
    id: `${number} of ${organisationId}`,
    data: { offerId: "offer-1", workerId: `worker-${number % workers}`, response: "accepted" },
  }));
  for (let from = 0; from < count; from += 1_000) {
    const rows = all.slice(from, from + 1_000).map(({ id, data }) => ({
      event: {
        ...{ id, organisation_id: organisationId },
        ...{ type: "workerOfferResponse" as const, data: JSON.stringify(data) },
      },
      delivery: {
        ...{ id, event_id: id, organisation_id: organisationId, state },
        order_key: JSON.stringify([data.offerId, data.workerId]),
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
  return all.map(({ id }) => id);
}
