import { sql } from "kysely";
import { deleteExpiredKeys } from "../idempotency/forget-expired-keys.ts";
import type { Store, Trx } from "../store/store.ts";
import { purgeDeliveries } from "./purge-deliveries.ts";

/** How long finished data is kept, in days (D-77). */
export interface RetentionPeriods {
  /** Acknowledged deliveries with their events and attempts, and notifications of past offers. */
  deliveryDays: number;
  /** Response bodies of endpoints, and sent mail. */
  contentDays: number;
}

export const defaultRetention: RetentionPeriods = { deliveryDays: 90, contentDays: 30 };

/** Rows per statement; a transaction times out after five seconds. */
const batchSize = 500;
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Deletes one batch of each kind of expired data. Pending deliveries, failed deliveries that can still be redelivered, and
 * unsent mail and notifications never expire. If one batch fails, the others still run.
 *
 * @param onError receives the error of a batch
 * @returns whether more may be left
 */
export async function purgeExpired(
  store: Store,
  now: Date,
  periods: RetentionPeriods,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * dayMs);
  const content = daysAgo(periods.contentDays);
  const delivery = daysAgo(periods.deliveryDays);
  let more = false;
  const tryRun = async (work: () => Promise<unknown>): Promise<void> => void (await work().catch(onError));
  const inBatch = (purge: (trx: Trx) => Promise<number>): Promise<void> =>
    tryRun(async () => {
      const purged = await store.transaction(async (trx) => {
        // Outdated statistics after mass deletes make PostgreSQL JIT-compile these, which takes longer than running them.
        await sql`set local jit = off`.execute(trx);
        return purge(trx);
      });
      more = purged === batchSize || more;
    });

  await inBatch(async (trx) => {
    const old = trx.selectFrom("attempts").select("id").where("response", "is not", null);
    const ids = old.where("started_at", "<=", content).orderBy("started_at").limit(batchSize);
    const emptied = trx.updateTable("attempts").set({ response: null, content_type: null }).where("id", "in", ids);
    return count(await emptied.returning("id").execute());
  });
  await inBatch((trx) => purgeDeliveries(trx, delivery, batchSize));
  await inBatch(async (trx) => {
    // Attempts of deliveries that are kept.
    const old = trx.selectFrom("attempts").select("id").where("started_at", "<=", delivery).limit(batchSize);
    return count(await trx.deleteFrom("attempts").where("id", "in", old).returning("id").execute());
  });
  // Events without an endpoint have no deliveries. They come after the expired deliveries above.
  if (!more)
    await inBatch(async (trx) => {
      const old = trx
        .selectFrom("events")
        .select("id")
        .where("created_at", "<=", delivery)
        // With a limit, PostgreSQL probes the index per event instead of joining all.
        .where(
          ({ selectFrom }) => selectFrom("deliveries").select("id").whereRef("event_id", "=", "events.id").limit(1),
          "is",
          null,
        );
      return count(await trx.deleteFrom("events").where("id", "in", old.limit(batchSize)).returning("id").execute());
    });
  await inBatch(async (trx) => {
    const old = trx
      .selectFrom("notifications")
      .innerJoin("offers", "offers.id", "notifications.offer_id")
      .select("notifications.id")
      .where("notifications.created_at", "<=", delivery)
      .where("due_at", "is", null)
      .where(({ fn }) => sql`${fn("greatest", ["ends_at", "completed_at", "withdrawn_at"])}`, "<=", delivery)
      .limit(batchSize);
    return count(await trx.deleteFrom("notifications").where("id", "in", old).returning("id").execute());
  });
  await inBatch(async (trx) => {
    const old = trx.selectFrom("mails").select("id").where("created_at", "<=", content).where("due_at", "is", null);
    return count(await trx.deleteFrom("mails").where("id", "in", old.limit(batchSize)).returning("id").execute());
  });
  const { db } = store;
  const forgotten = { previous_encrypted_secret: null, previous_secret_until: null };
  await tryRun(() => db.updateTable("endpoints").set(forgotten).where("previous_secret_until", "<=", now).execute());
  await tryRun(() => db.deleteFrom("sessions").where("expires_at", "<=", now).execute());
  await tryRun(() => deleteExpiredKeys(db, now));
  return more;
}

const count = (rows: readonly unknown[]): number => rows.length;
