import { sql } from "kysely";
import type { Store, Trx } from "../../store/store.ts";
import { lockSettling } from "../outbox/settling-lock.ts";
import { wakeLanes } from "../outbox/wake-lanes.ts";
import { healthy } from "./endpoint-health.ts";

/** Calls an endpoint again that passed its checks (D-73): it counts as healthy. Commit it, then `restartSchedules`. */
export async function enableEndpoint(trx: Trx, organisationId: string): Promise<void> {
  await trx.updateTable("endpoints").set(healthy).where("organisation_id", "=", organisationId).execute();
  await wakeLanes(trx, "webhooks", [organisationId]);
}

/** Of one transaction: one of a hundred thousand rows would block all others for seconds. */
const batchSize = 1_000;

/**
 * Makes due what an endpoint's failures had put off, with the whole retry schedule before it (D-73): it has passed its checks
 * since, perhaps at another address. Should it end half way, the rest is attempted when its time comes.
 */
export async function restartSchedules(store: Store, organisationId: string): Promise<void> {
  let after: number | undefined = 0;
  while (after !== undefined) after = await restartBatch(store, organisationId, after);
}

/**
 * Waits for transactions that settle one of them or record behind it, and restarts their results too. Only rows with a due time
 * were ever attempted: each is the oldest of its order key.
 *
 * @returns where the next batch begins; undefined when there is none
 */
function restartBatch(store: Store, organisationId: string, after: number): Promise<number | undefined> {
  return store.transaction(async (trx) => {
    await lockSettling(trx, "webhooks");
    const { rows } = await sql<{ sequence: number }>`
      update deliveries set attempts = 0, due_at = least(due_at, now())
      where organisation_id = ${organisationId} and sequence = any (array(
        select sequence from deliveries
        where organisation_id = ${organisationId} and due_at is not null and sequence > ${after}
          and (attempts > 0 or due_at > now())
        order by sequence
        limit ${batchSize}
        for update
      ))
      returning sequence`.execute(trx);
    await wakeLanes(trx, "webhooks", rows.length > 0 ? [organisationId] : []);
    if (rows.length < batchSize) return undefined;
    return Math.max(...rows.map(({ sequence }) => sequence));
  });
}
