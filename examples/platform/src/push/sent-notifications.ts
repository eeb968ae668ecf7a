import type { Store } from "../store/store.ts";

/** The notifications that were sent, in the order they were: what a worker may see. */
export function sentNotifications(store: Store) {
  return store.db
    .selectFrom("notifications")
    .innerJoin("offers", "offers.id", "notifications.offer_id")
    .select([
      "notifications.id",
      "notifications.worker_id as workerId",
      "notifications.device_id as deviceId",
      "notifications.offer_id as offerId",
      "offers.title as offerTitle",
      "notifications.reason",
      "notifications.created_at as createdAt",
    ])
    .where("notifications.sent_at", "is not", null)
    .orderBy("notifications.sent_at")
    .orderBy("notifications.id");
}
