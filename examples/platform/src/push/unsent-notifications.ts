import type { Store } from "../store/store.ts";

/** A notification that waits, with what its transport needs. */
export type UnsentNotification = Awaited<ReturnType<typeof unsentNotifications>>[number];

export function unsentNotifications(store: Store, ids: readonly number[]) {
  return store.db
    .selectFrom("notifications")
    .innerJoin("offers", "offers.id", "notifications.offer_id")
    .leftJoin("devices", "devices.id", "notifications.device_id")
    .select([
      "notifications.id",
      "notifications.worker_id as workerId",
      "notifications.device_id as deviceId",
      "devices.platform",
      "devices.token",
      "notifications.offer_id as offerId",
      "offers.title as offerTitle",
      "notifications.reason",
      "notifications.created_at as createdAt",
      "notifications.attempts",
    ])
    .where("notifications.id", "in", ids)
    .where("notifications.sent_at", "is", null)
    .execute();
}
