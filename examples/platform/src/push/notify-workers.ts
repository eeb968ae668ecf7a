import { sql } from "kysely";
import { wakeLanes } from "../outbox/queue.ts";
import { announce, type Trx } from "../store/store.ts";
import type { NotificationReason } from "./push-transport.ts";

export interface WorkersToNotify {
  offerId: string;
  workerIds: readonly string[];
  reason: NotificationReason;
}

/** The maximum number of workers per statement, so that a transaction stays within its five seconds even on a slow machine. */
const workersPerStatement = 2_000;

/**
 * Stores one notification per device of each worker, or one for the menu of a worker without devices, in the caller's transaction.
 * Supersedes pushes about the same offer that are still waiting: they stay on the menu and are not sent (D-99).
 *
 * @returns how many notifications were stored
 */
export async function notifyWorkers(trx: Trx, { offerId, workerIds, reason }: WorkersToNotify): Promise<number> {
  let written = 0;
  // The notification about the offer itself is the first one, so there is nothing to supersede.
  if (reason !== "offer") await supersede(trx, offerId, workerIds);
  for (let from = 0; from < workerIds.length; from += workersPerStatement) {
    const some = workerIds.slice(from, from + workersPerStatement);
    written += await storeNotifications(trx, { offerId, workerIds: some, reason });
  }
  await wakeLanes(trx, "pushes", written > 0 ? [offerId] : []);
  announce(trx, { topic: "notification", workerIds });
  return written;
}

async function supersede(trx: Trx, offerId: string, workerIds: readonly string[]): Promise<void> {
  // Lock all of the offer's rows together, in settling order: two transactions that lock in different orders deadlock, and a
  // completion calls this twice.
  await sql`
    update notifications set due_at = null
    where worker_id = any (array(select ${jsonStrings(workerIds)})) and id = any (array(
      select id from notifications where offer_id = ${offerId} and due_at is not null order by id for update))`.execute(
    trx,
  );
}

async function storeNotifications(trx: Trx, { offerId, workerIds, reason }: WorkersToNotify): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with written as (
      insert into notifications (worker_id, device_id, offer_id, reason, due_at)
      select workers.id, devices.id, ${offerId}, ${reason}, now()
      from ${jsonStrings(workerIds)} as given (worker_id)
      join workers on workers.id = given.worker_id
      left join devices on devices.worker_id = workers.id
      returning 1
    )
    select count(*) from written`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Sends strings as one JSON parameter: planning a statement that grows with the number of workers would take longer than running it. */
const jsonStrings = (values: readonly string[]) => sql`json_array_elements_text(${JSON.stringify(values)}::text::json)`;
