import type { Queue } from "../queue/queue.ts";
import type { Store } from "../store/store.ts";
import { lockOldestPending } from "./pending-delivery.ts";
import { jobOf } from "./settle-attempts.ts";

/**
 * Makes a dead delivery pending again, with the whole retry schedule before it and its old id.
 *
 * @returns false when the organisation has no such delivery, or it is not dead
 */
export async function redeliver(
  store: Store,
  queue: Queue,
  organisationId: string,
  deliveryId: string,
): Promise<boolean> {
  return store.transaction(async (trx) => {
    const delivery = await trx
      .updateTable("deliveries")
      .set({ state: "pending", attempts: 0, next_attempt_at: new Date(), settled_at: null })
      .where("id", "=", deliveryId)
      .where("organisation_id", "=", organisationId)
      .where("state", "=", "dead")
      .returning(["id", "organisation_id", "order_key"])
      .executeTakeFirst();
    if (delivery === undefined) return false;
    const oldest = await lockOldestPending(trx, { organisationId, orderKey: delivery.order_key });
    // Behind an older one it gets its job when that one is settled.
    if (oldest?.id === deliveryId) await queue.enqueue(trx, "deliveries", [jobOf(delivery)]);
    return true;
  });
}
