import { randomUUID } from "node:crypto";
import type { Store } from "../../src/store/store.ts";

export interface SettledContacts {
  workerId: string;
  count: number;
  state: "dead" | "acknowledged";
  /** When the first contact was added. The others follow at intervals of one second. */
  from: Date;
}

/** Inserts a worker's contact events for Harbour Hotels, with settled deliveries. @returns the delivery ids */
export async function insertSettledContacts(
  { db }: Store,
  { workerId, count, state, from }: SettledContacts,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const organisation_id = "org_harbour";
  const type = "workerAddedContact" as const;
  const data = JSON.stringify({ workerId });
  await db
    .insertInto("events")
    .values(
      ids.map((id, index) => ({
        id,
        organisation_id,
        type,
        data,
        created_at: new Date(from.getTime() + index * 1_000),
      })),
    )
    .execute();
  const [last_status, last_error] = state === "dead" ? [503, "not_acknowledged"] : [200, null];
  const deliveryValues = { organisation_id, state, due_at: null, settled_at: new Date(), last_status, last_error };
  await db
    .insertInto("deliveries")
    .values(ids.map((id) => ({ id, event_id: id, order_key: id, ...deliveryValues })))
    .execute();
  return ids;
}
