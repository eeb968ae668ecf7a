import { type ExpressionBuilder, sql } from "kysely";
import type { Store } from "../../store/store.ts";
import type { Tables } from "../../store/tables.ts";

/**
 * Workers' notifications, whatever became of the push (D-48).
 *
 * @param withinMs of these last milliseconds; without it, all
 */
export function readNotifications({ db }: Store, workerIds: readonly string[], withinMs?: number) {
  return db
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
    .where("notifications.worker_id", "in", workerIds)
    .$if(withinMs !== undefined, (query) =>
      query.where(
        "notifications.created_at",
        ">",
        sql<Date>`now() - make_interval(secs => ${(withinMs ?? 0) / 1_000})`,
      ),
    )
    .orderBy("notifications.id")
    .execute();
}

/** The id of a worker's last notification: part of a statement over `workers`. */
export const lastNotificationOf = ({ selectFrom }: ExpressionBuilder<Tables, "workers">) =>
  selectFrom("notifications")
    .select("notifications.id")
    .whereRef("worker_id", "=", "workers.id")
    .orderBy("notifications.id", "desc")
    .limit(1);
