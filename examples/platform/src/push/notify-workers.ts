import { sql } from "kysely";
import { wakeLanes } from "../outbox/queue.ts";
import { announce, type Trx } from "../store/store.ts";
import type { NotificationReason } from "./push-transport.ts";

export interface WorkersToNotify {
  offerId: string;
  workerIds: readonly string[];
  reason: NotificationReason;
}

/** The maximum number of workers per statement. Every statement must return within five seconds, even on a slow machine. */
const workersPerStatement = 2_000;

/**
 * Stores notifications in the caller's transaction: one per device, or one for a worker without devices. Supersedes pending pushes
 * about the same offer, which then stay in the notifications menu but are not sent, except decisions that have not been attempted (D-99).
 *
 * @returns how many notifications were stored
 */
export async function notifyWorkers(trx: Trx, { offerId, workerIds, reason }: WorkersToNotify): Promise<number> {
  let storedCount = 0;
  // The first notification about an offer has nothing to supersede.
  if (reason !== "offer") await supersedePushes(trx, offerId, workerIds);
  for (let start = 0; start < workerIds.length; start += workersPerStatement) {
    const batch = workerIds.slice(start, start + workersPerStatement);
    storedCount += await storeNotifications(trx, { offerId, workerIds: batch, reason });
  }
  await wakeLanes(trx, "pushes", storedCount > 0 ? [offerId] : []);
  announce(trx, { topic: "notification", workerIds });
  return storedCount;
}

async function supersedePushes(trx: Trx, offerId: string, workerIds: readonly string[]): Promise<void> {
  // To prevent deadlocks, lock all of the offer's rows together, in the order in which pushes are settled. Locking only these workers'
  // rows would not be enough, because a completion calls this function twice.
  await sql`
    update notifications set due_at = null
    where worker_id = any (array(select ${jsonStrings(workerIds)})) and (reason = 'offer' or attempts > 0) and id = any (array(
      select id from notifications where offer_id = ${offerId} and due_at is not null order by id for update))`.execute(
    trx,
  );
}

async function storeNotifications(trx: Trx, { offerId, workerIds, reason }: WorkersToNotify): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with inserted as (
      insert into notifications (worker_id, device_id, offer_id, reason, due_at)
      select workers.id, devices.id, ${offerId}, ${reason}, now()
      from ${jsonStrings(workerIds)} as recipients (worker_id)
      join workers on workers.id = recipients.worker_id
      left join devices on devices.worker_id = workers.id
      returning 1
    )
    select count(*) from inserted`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Passes strings as one JSON parameter, because planning a statement with a parameter per worker takes longer than running it. */
const jsonStrings = (values: readonly string[]) => sql`json_array_elements_text(${JSON.stringify(values)}::text::json)`;
