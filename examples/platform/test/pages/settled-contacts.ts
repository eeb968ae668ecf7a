import { randomUUID } from "node:crypto";
import type { Store } from "../../src/store/store.ts";

export interface SettledContacts {
  workerId: string;
  count: number;
  state: "dead" | "acknowledged";
  /** When the first contact was added; each of the others is a second later. */
  from: Date;
}

/** Inserts contacts that a worker added at Harbour Hotels, with settled deliveries. @returns the ids of the deliveries */
export async function settledContacts(
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
      ids.map((id, at) => ({ id, organisation_id, type, data, created_at: new Date(from.getTime() + at * 1_000) })),
    )
    .execute();
  const [last_status, last_error] = state === "dead" ? [503, "not_acknowledged"] : [200, null];
  const settled = { organisation_id, state, due_at: null, settled_at: new Date(), last_status, last_error };
  await db
    .insertInto("deliveries")
    .values(ids.map((id) => ({ id, event_id: id, order_key: id, ...settled })))
    .execute();
  return ids;
}
