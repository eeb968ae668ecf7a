import type { Store } from "../store/store.ts";

/** What workers were told, in the order they were, whatever became of the push (D-48). */
export function toldNotifications(store: Store) {
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
    .orderBy("notifications.id");
}
