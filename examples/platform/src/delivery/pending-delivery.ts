import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { Store, Trx } from "../store/store.ts";
import type { DeliveryState, DeliveryTable, Tables } from "../store/tables.ts";

/** A due delivery with all that its attempt needs. */
export type PendingDelivery = Awaited<ReturnType<typeof pendingDeliveries>>[number];

/** Loads those of `ids` that may still be attempted: their endpoint is enabled. `blocked` ones must wait for an older one of their order key. */
export function pendingDeliveries(store: Store, ids: readonly string[]) {
  return store.db
    .selectFrom("deliveries")
    .innerJoin("events", "events.id", "deliveries.event_id")
    .leftJoin("endpoints", "endpoints.organisation_id", "deliveries.organisation_id")
    .select([
      "deliveries.id",
      "deliveries.sequence",
      "deliveries.event_id",
      "deliveries.organisation_id",
      "deliveries.order_key",
      "deliveries.attempts",
      "events.type",
      "events.data",
      "endpoints.base_address",
      "endpoints.sealed_secret",
      "endpoints.previous_sealed_secret",
      "endpoints.previous_secret_until",
      "endpoints.scheme",
      "endpoints.breaker_open_until",
    ])
    .select((query) => hasOlderWaiting(query).as("blocked"))
    .where("deliveries.id", "in", ids)
    .where("deliveries.state", "=", "pending")
    .where("endpoints.disabled_at", "is", null)
    .execute();
}

/** Whether it is still to be delivered: held ones will be, once their endpoint is enabled. */
export const isWaiting = (state: DeliveryState): boolean => state === "pending" || state === "held";

/**
 * Whether a response to the same offer by the same worker waits that happened before this one (D-32). Worded so that
 * PostgreSQL asks its index of order keys row by row, whatever its statistics say: "offset 0" keeps it from making a join of
 * it, "not in" from the index of all that waits at an endpoint.
 */
export function hasOlderWaiting(query: ExpressionBuilder<Tables, "deliveries">) {
  return query.exists(
    query
      .selectFrom("deliveries as older")
      .select(sql.lit(1).as("one"))
      .whereRef("older.organisation_id", "=", "deliveries.organisation_id")
      .whereRef("older.order_key", "=", "deliveries.order_key")
      .whereRef("older.sequence", "<", "deliveries.sequence")
      .where("older.state", "not in", [sql.lit("acknowledged" as const), sql.lit("dead" as const)])
      .offset(sql.lit(0)),
  );
}

/**
 * Holds what may still be attempted of an order key until the end of the transaction, oldest first, so that nobody
 * settles, redelivers or overtakes it meanwhile (D-32): dead ones and the latest too, since a redelivery repeats them.
 * Waits for whoever is doing so, and sees what came of it.
 */
export async function lockOrder(trx: Trx, { organisationId, orderKey }: { organisationId: string; orderKey: string }) {
  const { rows } = await sql<Pick<Selectable<DeliveryTable>, "id" | "sequence" | "state">>`
    select id, sequence, state from deliveries
    where sequence = any (array(
      select sequence from deliveries
      where organisation_id = ${organisationId} and order_key = ${orderKey} and state <> 'acknowledged'
      union all
      (select sequence from deliveries where organisation_id = ${organisationId} and order_key = ${orderKey}
      order by sequence desc limit 1)
    ))
    order by sequence
    for update`.execute(trx);
  return rows;
}
