import { sql } from "kysely";
import { placeName } from "../../store/place-name.ts";
import type { Store } from "../../store/store.ts";
import type { Lease } from "../outbox/outbox-queue.ts";

/** A due notification with what its transport needs. */
export type DueNotification = Awaited<ReturnType<typeof readNotifications>>[number];

/** Loads claimed notifications, but for those that a newer one superseded meanwhile. */
export async function loadNotifications(store: Store, leases: readonly Lease[]): Promise<Map<number, DueNotification>> {
  const ids = leases.map(({ rowId }) => rowId);
  const rows = await readNotifications(store, ids);
  return new Map(rows.map((row) => [row.id, row]));
}

const readNotifications = (store: Store, ids: readonly number[]) =>
  store.db
    .selectFrom("notifications")
    .innerJoin("offers", "offers.id", "notifications.offer_id")
    .innerJoin("workers", "workers.id", "notifications.worker_id")
    .leftJoin("devices", "devices.id", "notifications.device_id")
    .select([
      "notifications.id",
      "notifications.worker_id as workerId",
      "notifications.device_id as deviceId",
      "devices.platform",
      "devices.token",
      "notifications.offer_id as offerId",
      "offers.title as offerTitle",
      "offers.events",
      placeName.as("place"),
      "workers.time_zone as timeZone",
      "notifications.reason",
      "notifications.created_at as createdAt",
      "notifications.attempts",
    ])
    .where(sql<boolean>`notifications.id = any (array(
      select json_array_elements_text(${JSON.stringify(ids)}::text::json)::int8))`)
    .where("notifications.due_at", "is not", null)
    .execute();
