import { sql } from "kysely";
import { preferHashJoin } from "../queue/prefer-hash-join.ts";
import type { Queue } from "../queue/queue.ts";
import type { Store } from "../store/store.ts";
import { behindOthers } from "./push-priority.ts";

const maxRows = 1_000;

/** After so many refusals by the transport a notification is pushed no more; the menu has it (D-48). */
export const maxPushAttempts = 10;

/**
 * Gives a job to every unsent notification that has none.
 *
 * @returns whether there may be more
 */
export async function sweepNotifications(store: Store, queue: Queue): Promise<boolean> {
  return store.transaction(async (trx) => {
    await preferHashJoin(trx);
    const rows = await trx
      .selectFrom("notifications")
      .select("id")
      .where("sent_at", "is", null)
      .where("attempts", "<", maxPushAttempts)
      .where(queue.withoutJob("notifications", sql<string>`notifications.id::text`))
      .orderBy("id")
      .limit(maxRows)
      .execute();
    await queue.enqueue(
      trx,
      "notifications",
      rows.map(({ id }) => ({ key: String(id), priority: behindOthers })),
    );
    return rows.length === maxRows;
  });
}
