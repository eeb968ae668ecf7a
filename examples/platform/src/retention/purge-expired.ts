import { sql } from "kysely";
import { forgetExpiredKeys } from "../idempotency/forget-expired-keys.ts";
import type { Store, Trx } from "../store/store.ts";
import { purgeDeliveries } from "./purge-deliveries.ts";

/** For how long what is over is kept, in days (D-77). */
export interface RetentionPeriods {
  /** Acknowledged deliveries with their events and attempts, and notifications of offers that are over. */
  deliveryDays: number;
  /** What endpoints answered, and mail that was sent. */
  contentDays: number;
}

export const defaultRetention: RetentionPeriods = { deliveryDays: 90, contentDays: 30 };

/** Rows of one statement; a transaction has five seconds. */
const batchSize = 500;
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Forgets one batch of everything whose time is over. What waits is never over: deliveries that are pending, dead
 * ones that may still be redelivered, mail and notifications that may still be sent. What fails of one is no matter of the
 * others.
 *
 * @param onError told what a batch threw
 * @returns whether there may be more
 */
export async function retain(
  store: Store,
  now: Date,
  periods: RetentionPeriods,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * dayMs);
  const content = daysAgo(periods.contentDays);
  const delivery = daysAgo(periods.deliveryDays);
  let more = false;
  const alone = async (work: () => Promise<unknown>): Promise<void> => void (await work().catch(onError));
  const inBatch = (purge: (trx: Trx) => Promise<number>): Promise<void> =>
    alone(async () => {
      const purged = await store.transaction(async (trx) => {
        // To compile these statements takes longer than to run them: their costs are guessed from what is there no more.
        await sql`set local jit = off`.execute(trx);
        return purge(trx);
      });
      more = purged === batchSize || more;
    });

  await inBatch(async (trx) => {
    const old = trx.selectFrom("attempts").select("id").where("answer", "is not", null);
    const ids = old.where("started_at", "<=", content).orderBy("started_at").limit(batchSize);
    const emptied = trx.updateTable("attempts").set({ answer: null, content_type: null }).where("id", "in", ids);
    return count(await emptied.returning("id").execute());
  });
  await inBatch((trx) => purgeDeliveries(trx, delivery, batchSize));
  await inBatch(async (trx) => {
    // Of deliveries that are kept.
    const old = trx.selectFrom("attempts").select("id").where("started_at", "<=", delivery).limit(batchSize);
    return count(await trx.deleteFrom("attempts").where("id", "in", old).returning("id").execute());
  });
  // Nobody was told of these: there was no endpoint. They are looked for once the deliveries before have gone.
  if (!more)
    await inBatch(async (trx) => {
      const old = trx
        .selectFrom("events")
        .select("id")
        .where("created_at", "<=", delivery)
        // A limit keeps it a look at an index for each, not a join of all.
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
  const forgotten = { previous_sealed_secret: null, previous_secret_until: null };
  await alone(() => db.updateTable("endpoints").set(forgotten).where("previous_secret_until", "<=", now).execute());
  await alone(() => db.deleteFrom("sessions").where("expires_at", "<=", now).execute());
  await alone(() => forgetExpiredKeys(db, now));
  return more;
}

const count = (rows: readonly unknown[]): number => rows.length;
