import { preferHashJoin } from "../queue/prefer-hash-join.ts";
import type { Queue } from "../queue/queue.ts";
import type { Store } from "../store/store.ts";
import { hasOlderWaiting } from "./pending-delivery.ts";
import { jobOf } from "./settle-attempts.ts";

const maxRows = 1_000;

/**
 * Gives a job to every pending delivery that should have one and has none, whatever became of it.
 *
 * @returns whether there may be more
 */
export async function sweepDeliveries(store: Store, queue: Queue): Promise<boolean> {
  return store.transaction(async (trx) => {
    await preferHashJoin(trx);
    const rows = await trx
      .selectFrom("deliveries")
      .select(["id", "organisation_id", "next_attempt_at"])
      .where("state", "=", "pending")
      .where(({ ref }) => queue.withoutJob("deliveries", ref("deliveries.id")))
      .where((query) => query.not(hasOlderWaiting(query)))
      .orderBy("sequence")
      .limit(maxRows)
      .execute();
    await queue.enqueue(trx, "deliveries", rows.map(jobOf));
    return rows.length === maxRows;
  });
}
