import { type ExpressionBuilder, sql } from "kysely";
import type { Store, Trx } from "../store/store.ts";
import type { Tables } from "../store/tables.ts";

/** A due delivery with all that its attempt needs. */
export type PendingDelivery = Awaited<ReturnType<typeof pendingDeliveries>>[number];

/** Loads those of `ids` that are still pending. `blocked` ones must wait for an older one of their order key. */
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
    ])
    .select((query) => hasOlderPending(query).as("blocked"))
    .where("deliveries.id", "in", ids)
    .where("deliveries.state", "=", "pending")
    .execute();
}

/** Whether a response to the same offer by the same worker is pending that happened before this one (D-32). */
export function hasOlderPending(query: ExpressionBuilder<Tables, "deliveries">) {
  return query.exists(
    query
      .selectFrom("deliveries as older")
      .select(sql.lit(1).as("one"))
      .whereRef("older.organisation_id", "=", "deliveries.organisation_id")
      .whereRef("older.order_key", "=", "deliveries.order_key")
      .whereRef("older.sequence", "<", "deliveries.sequence")
      .where("older.state", "=", "pending"),
  );
}

/**
 * Holds what may still be attempted of an order key until the end of the transaction, oldest first, so that nobody
 * settles, redelivers or overtakes it meanwhile (D-32): dead ones too, since a redelivery makes them pending. Waits for
 * whoever is doing so, and sees what came of it.
 */
export function lockOrder(trx: Trx, key: { organisationId: string; orderKey: string }) {
  return trx
    .selectFrom("deliveries")
    .select(["id", "sequence", "state"])
    .where("organisation_id", "=", key.organisationId)
    .where("order_key", "=", key.orderKey)
    .where("state", "!=", "acknowledged")
    .orderBy("sequence")
    .forUpdate()
    .execute();
}
