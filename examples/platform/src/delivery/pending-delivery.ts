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

/** Whether a response to the same offer by the same worker is pending that happened before this one. */
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
 * Finds the oldest pending delivery of an order key and holds it until the end of the transaction, so that nobody
 * settles it meanwhile; or waits for whoever is settling it, and does not find it.
 */
export function lockOldestPending(trx: Trx, key: { organisationId: string; orderKey: string; before?: number }) {
  return trx
    .selectFrom("deliveries")
    .select(["id", "sequence"])
    .where("organisation_id", "=", key.organisationId)
    .where("order_key", "=", key.orderKey)
    .where("state", "=", "pending")
    .$if(key.before !== undefined, (query) => query.where("sequence", "<", key.before ?? 0))
    .orderBy("sequence")
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}
