import { sql } from "kysely";
import { lockSettling, wakeLanes } from "../outbox/queue.ts";
import { announce, type Store, type Trx } from "../store/store.ts";
import { restartSchedules } from "./disabled-endpoint.ts";

/** Why an organisation's deliveries cannot be attempted now. */
export type NoAttempt = "no_endpoint" | "disabled";

/** The outcome of a retry that a person asked for (D-130). */
export type Retry =
  /** The id that is attempted now: this delivery, or the earlier one of its order key that it waits for. */
  | { outcome: "retried"; id: string }
  /** The organisation has no such delivery. */
  | { outcome: "unknown" }
  /** It was acknowledged or given up. */
  | { outcome: "settled" }
  | { outcome: NoAttempt };

/**
 * Makes a pending delivery due now, with the whole retry schedule before it: retries during an outage do not use the schedule up.
 * Only the oldest delivery of an order key becomes due, so their order stays. An attempt that is under way goes on.
 *
 * @param now by the clock that the circuit breaker uses
 */
export function retryNow(store: Store, organisationId: string, deliveryId: string, now: Date): Promise<Retry> {
  return store.transaction(async (trx) => {
    // A settling transaction beside this one would set its own due time.
    await lockSettling(trx, "webhooks");
    const delivery = await trx
      .selectFrom("deliveries")
      .select(["order_key", "state"])
      .where("organisation_id", "=", organisationId)
      .where("id", "=", deliveryId)
      .executeTakeFirst();
    if (delivery === undefined) return { outcome: "unknown" };
    if (delivery.state !== "pending") return { outcome: "settled" };
    const noAttempt = await endPause(trx, organisationId, now);
    if (noAttempt !== undefined) return { outcome: noAttempt };
    const { id } = await trx
      .updateTable("deliveries")
      .set({ attempts: 0, due_at: sql<Date>`least(due_at, now())` })
      .where("organisation_id", "=", organisationId)
      .where("order_key", "=", delivery.order_key)
      .where("due_at", "is not", null)
      .returning("id")
      .executeTakeFirstOrThrow();
    return { outcome: "retried", id };
  });
}

/**
 * Makes all pending deliveries of the organisation due now, in order, each with the whole retry schedule before it.
 *
 * @returns why not; undefined when they are due
 */
export async function retryAllNow(store: Store, organisationId: string, now: Date): Promise<NoAttempt | undefined> {
  const noAttempt = await store.transaction((trx) => endPause(trx, organisationId, now));
  if (noAttempt === undefined) await restartSchedules(store, organisationId);
  return noAttempt;
}

/**
 * Ends the pause of the circuit breaker (D-72): the next attempt is the probe, which closes or opens it. Wakes the lane. Endpoints
 * are locked before deliveries, by every transaction: two that lock in different orders deadlock.
 */
async function endPause(trx: Trx, organisationId: string, now: Date): Promise<NoAttempt | undefined> {
  const endpoint = await trx
    .selectFrom("endpoints")
    .select(["disabled_at", "breaker_open_until"])
    .where("organisation_id", "=", organisationId)
    .forUpdate()
    .executeTakeFirst();
  if (endpoint === undefined) return "no_endpoint";
  if (endpoint.disabled_at !== null) return "disabled";
  if (endpoint.breaker_open_until !== null && endpoint.breaker_open_until > now)
    await trx
      .updateTable("endpoints")
      .set({ breaker_open_until: now })
      .where("organisation_id", "=", organisationId)
      .execute();
  await wakeLanes(trx, "webhooks", [organisationId]);
  announce(trx, { topic: "endpoint", organisationId }, { topic: "delivery", organisationId });
  return undefined;
}
