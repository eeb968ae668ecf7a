import { type Listed, type ListPage, listCursor } from "../lists/list-cursor.ts";
import { microsecondsOf, olderThan } from "../lists/older-than.ts";
import type { Notification } from "../push/push-transport.ts";
import type { Store } from "../store/store.ts";

export const menuCursor = listCursor("notifications", /^\d{1,15}$/);

/** The worker's notifications menu, newest first: notifications to several devices are one entry (D-48). */
export async function listMenu(
  { db }: Store,
  workerId: string,
  { before, limit }: ListPage,
): Promise<Listed<Notification>> {
  const read = await db
    .selectFrom(({ selectFrom }) =>
      selectFrom("notifications")
        .distinctOn(["offer_id", "reason"])
        .selectAll()
        .where("worker_id", "=", workerId)
        .orderBy("offer_id")
        .orderBy("reason")
        .orderBy("created_at")
        .orderBy("id")
        .as("notifications"),
    )
    .innerJoin("offers", "offers.id", "notifications.offer_id")
    .select(["notifications.id", "notifications.worker_id as workerId", "notifications.device_id as deviceId"])
    .select(["notifications.offer_id as offerId", "offers.title as offerTitle"])
    .select(["notifications.reason", "notifications.created_at as createdAt"])
    .select(microsecondsOf("notifications.created_at").as("position"))
    .where(olderThan(["notifications.created_at", "notifications.id"], before))
    .orderBy("notifications.created_at", "desc")
    .orderBy("notifications.id", "desc")
    .limit(limit + 1)
    .execute();
  return menuCursor.cut(read, limit, ({ position, id }) => ({ position, id: String(id) }));
}
