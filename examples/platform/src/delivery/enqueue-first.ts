import type { Queue } from "../queue/queue.ts";
import type { Trx } from "../store/store.ts";
import { hasOlderWaiting } from "./pending-delivery.ts";
import { jobOf } from "./settle-attempts.ts";

/**
 * Gives a job to those that have become due and wait for no older one: behind an older one a delivery gets its job when
 * that one is settled.
 */
export async function enqueueFirst(trx: Trx, queue: Queue, ids: readonly string[]): Promise<void> {
  const first = await trx
    .selectFrom("deliveries")
    .select(["id", "organisation_id"])
    .where("id", "in", ids)
    .where((query) => query.not(hasOlderWaiting(query)))
    .orderBy("sequence")
    .execute();
  await queue.enqueue(trx, "deliveries", first.map(jobOf));
  // A job that is left from before would wait for the old schedule, and keeps a new one out.
  await queue.hasten(
    trx,
    "deliveries",
    first.map(({ id }) => id),
  );
}
