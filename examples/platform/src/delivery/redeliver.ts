import { sql } from "kysely";
import type { Queue } from "../queue/queue.ts";
import type { Store, Trx } from "../store/store.ts";
import { lockOrder } from "./pending-delivery.ts";
import { jobOf } from "./settle-attempts.ts";

export interface RedeliverContext {
  store: Store;
  queue: Queue;
  now: () => Date;
}

export type Redelivery =
  | "redelivered"
  /** The organisation has no such delivery, or it is not dead. */
  | "not_dead"
  /** The endpoint knows a later word of the same worker on the same offer, or is about to. */
  | "superseded";

/** Makes a dead delivery pending again, with the whole retry schedule before it and its old id (D-26). */
export function redeliver(
  { store, queue, now }: RedeliverContext,
  organisationId: string,
  deliveryId: string,
): Promise<Redelivery> {
  return store.transaction(async (trx) => {
    const delivery = await trx
      .selectFrom("deliveries")
      .select(["id", "organisation_id", "order_key", "sequence"])
      .where("id", "=", deliveryId)
      .where("organisation_id", "=", organisationId)
      .executeTakeFirst();
    if (delivery === undefined) return "not_dead";
    const held = await lockOrder(trx, { organisationId, orderKey: delivery.order_key });
    if (!held.some(({ id, state }) => id === deliveryId && state === "dead")) return "not_dead";
    if (await isSuperseded(trx, delivery)) return "superseded";
    await trx
      .updateTable("deliveries")
      .set({ state: "pending", attempts: 0, next_attempt_at: now(), settled_at: null })
      .where("id", "=", deliveryId)
      .execute();
    // Behind an older one it gets its job when that one is settled.
    const isBehind = held.some(({ sequence, state }) => state === "pending" && sequence < delivery.sequence);
    if (!isBehind) await queue.enqueue(trx, "deliveries", [jobOf(delivery)]);
    return "redelivered";
  });
}

interface Place {
  organisation_id: string;
  order_key: string;
  sequence: number;
}

/** The last word must be the last to arrive (D-32). Asked after the lock, which may have waited for a new one. */
async function isSuperseded(trx: Trx, { organisation_id, order_key, sequence }: Place): Promise<boolean> {
  const newer = await trx
    .selectFrom("deliveries")
    .select(sql.lit(1).as("one"))
    .where("organisation_id", "=", organisation_id)
    .where("order_key", "=", order_key)
    .where("sequence", ">", sequence)
    .where("state", "!=", "dead")
    .limit(1)
    .executeTakeFirst();
  return newer !== undefined;
}
