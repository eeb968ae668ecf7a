import { sql } from "kysely";
import { wakeLanes } from "../outbox/wake-lanes.ts";
import type { Trx } from "../store/store.ts";
import type { NotificationReason } from "./push-transport.ts";

export interface WorkersToNotify {
  offerId: string;
  workerIds: readonly string[];
  reason: NotificationReason;
}

/**
 * Writes one notification per device of each worker, or one for the menu of a worker without any, in the caller's transaction.
 * Fit for 10,000 workers: the number of statements does not grow with them. Pushes about the same offer that still wait are
 * superseded: they stay on the menu and are not sent any more (D-99).
 *
 * @returns how many notifications were written
 */
export async function notifyWorkers(trx: Trx, { offerId, workerIds, reason }: WorkersToNotify): Promise<number> {
  if (workerIds.length === 0) return 0;
  // As one parameter: a statement that is longer with each worker takes the database longer to plan than to do.
  const given = sql`json_array_elements_text(${JSON.stringify(workerIds)}::text::json)`;
  // Nothing comes before the offer itself.
  if (reason !== "offer")
    // Locks the offer's all at once, in the order of settling: two that lock in different orders wait for each other, and a
    // completion comes here twice.
    await sql`
      update notifications set due_at = null
      where worker_id = any (array(select ${given})) and id = any (array(
        select id from notifications where offer_id = ${offerId} and due_at is not null order by id for update))`.execute(
      trx,
    );
  const { rows } = await sql<{ count: number }>`
    with written as (
      insert into notifications (worker_id, device_id, offer_id, reason, due_at)
      select workers.id, devices.id, ${offerId}, ${reason}, now()
      from ${given} as given (worker_id)
      join workers on workers.id = given.worker_id
      left join devices on devices.worker_id = workers.id
      returning 1
    )
    select count(*) from written`.execute(trx);
  await wakeLanes(trx, "pushes", [offerId]);
  return rows[0]?.count ?? 0;
}
