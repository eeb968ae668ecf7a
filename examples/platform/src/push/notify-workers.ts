import type { Queue } from "../queue/queue.ts";
import type { Trx } from "../store/store.ts";
import { pushPriority } from "./push-priority.ts";
import type { NotificationReason } from "./push-transport.ts";

/** Parameters of one statement are limited, and so is what one message to the database should hold. */
const workersPerStatement = 2_000;

export interface WorkersToNotify {
  offerId: string;
  workerIds: readonly string[];
  reason: NotificationReason;
}

/**
 * Writes one notification per device of each worker, or one for the menu of a worker without any, with its job, in the
 * caller's transaction. Fit for 10,000 workers: the number of statements does not grow with each.
 *
 * @returns how many notifications were written
 */
export async function notifyWorkers(
  trx: Trx,
  queue: Queue,
  { offerId, workerIds, reason }: WorkersToNotify,
): Promise<number> {
  const priority = pushPriority(workerIds.length);
  let written = 0;
  for (let from = 0; from < workerIds.length; from += workersPerStatement) {
    const some = workerIds.slice(from, from + workersPerStatement);
    const rows = await trx
      .insertInto("notifications")
      .columns(["worker_id", "device_id", "offer_id", "reason"])
      .expression((query) =>
        query
          .selectFrom("workers")
          .leftJoin("devices", "worker_id", "workers.id")
          .select(["workers.id as worker_id", "devices.id as device_id"])
          .select(({ val }) => [val(offerId).as("offer_id"), val(reason).as("reason")])
          .where("workers.id", "in", some),
      )
      .returning("id")
      .execute();
    const jobs = rows.map((row) => ({ key: String(row.id), priority }));
    await queue.enqueue(trx, "notifications", jobs);
    written += rows.length;
  }
  return written;
}
