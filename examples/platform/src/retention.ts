import { type RawBuilder, sql } from "kysely";
import { deleteExpiredKeys } from "./http/idempotent.ts";
import type { RetentionPeriods } from "./settings/settings.ts";
import type { Store, Trx } from "./store/store.ts";

/** The maximum number of rows per statement. It is smaller on PGlite, where requests share the connection and wait for each batch. */
const batchSizes = { pglite: 100, postgres: 500 } as const;
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Deletes expired data, at most one batch from each large table. Pending deliveries, failed deliveries that can still be redelivered,
 * unsent emails and unsent notifications never expire. If one step fails, the others still run.
 *
 * @param onError called with the error of each step that fails
 * @returns whether a batch was full, so that expired data may remain
 */
export async function purgeExpired(
  { transaction, db, name }: Store,
  now: Date,
  periods: RetentionPeriods,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * dayMs);
  const contentCutoff = daysAgo(periods.contentDays);
  const deliveryCutoff = daysAgo(periods.deliveryDays);
  const batchSize = batchSizes[name];
  let hasMore = false;
  const purgeBatch = async (purge: (trx: Trx) => Promise<number>): Promise<void> => {
    const purgedCount = await transaction(purge).catch(onError);
    if (purgedCount === batchSize) hasMore = true;
  };
  /** Runs a statement, which must return the purged rows. */
  const runBatch = (statement: RawBuilder<unknown>) =>
    purgeBatch(async (trx) => (await statement.execute(trx)).rows.length);
  /** Deletes a batch of rows. @param expired selects their ids */
  const deleteBatch = (table: "events" | "notifications" | "mails", expired: RawBuilder<unknown>) =>
    runBatch(sql`delete from ${sql.table(table)} where id in (${expired} limit ${batchSize}) returning id`);

  await runBatch(sql`
    update attempts set response = null, content_type = null, exchange = null where (delivery_id, id) in (
      select delivery_id, id from attempts
      where (response <> '' or exchange is not null) and started_at <= ${contentCutoff} order by started_at limit ${batchSize}
    ) returning id`);
  await purgeBatch((trx) => purgeDeliveries(trx, deliveryCutoff, batchSize));
  // Purge by organisation, because an index on time alone would make storing attempts more expensive.
  for (const table of tablesPurgedByRow[name].map((tableName) => sql.table(tableName)))
    await runBatch(sql`
      delete from ${table} where (delivery_id, id) in (
        select expired.delivery_id, expired.id from organisations cross join lateral (
          select delivery_id, id from ${table}
          where organisation_id = organisations.id and started_at <= ${deliveryCutoff} limit ${batchSize}
        ) as expired limit ${batchSize}
      ) returning id`);
  // Once no expired deliveries are left, purge events that never had a delivery because there was no endpoint. The inner limit makes
  // PostgreSQL search the index for each event instead of joining all events.
  if (!hasMore)
    await deleteBatch(
      "events",
      sql`select id from events where created_at <= ${deliveryCutoff}
        and (select id from deliveries where event_id = events.id limit 1) is null`,
    );
  await deleteBatch(
    "notifications",
    sql`select notifications.id from notifications join offers on offers.id = offer_id
      where notifications.created_at <= ${deliveryCutoff} and due_at is null
        and greatest(ends_at, completed_at, withdrawn_at) <= ${deliveryCutoff}`,
  );
  await deleteBatch("mails", sql`select id from mails where created_at <= ${contentCutoff} and due_at is null`);
  await db.deleteFrom("redeliveries").where("finished_at", "<=", contentCutoff).execute().catch(onError);
  const noSecret = { previous_encrypted_secret: null, previous_secret_until: null };
  await db.updateTable("endpoints").set(noSecret).where("previous_secret_until", "<=", now).execute().catch(onError);
  await db.deleteFrom("sessions").where("expires_at", "<=", now).execute().catch(onError);
  await db.deleteFrom("rate_limits").where("expire", "<=", now.getTime()).execute().catch(onError);
  await deleteExpiredKeys(db, now).catch(onError);
  if (name === "postgres" && !hasMore) await rotatePartitions({ transaction, db }, now, deliveryCutoff).catch(onError);
  return hasMore;
}

/** The tables whose attempts are deleted row by row. On PostgreSQL, this is only the table of attempts outside all weekly partitions. */
const tablesPurgedByRow = { pglite: ["attempts"], postgres: ["attempts_otherwise"] } as const;

const weekMs = 7 * dayMs;

/** Returns the name of the partition for the week that starts on this day. */
const partitionName = (day: Date): string => `attempts_${day.toISOString().slice(0, 10).replaceAll("-", "_")}`;

/**
 * Adds partitions for this week's and next week's attempts, and drops partitions in which all attempts have expired (D-140).
 *
 * Each statement waits for transactions that have read attempts, such as a backup, and blocks other transactions while it waits.
 * Therefore it gives up quickly, and the next call tries again. Partitions are added a week in advance, so there is enough time.
 */
async function rotatePartitions(
  { transaction, db }: Pick<Store, "transaction" | "db">,
  now: Date,
  deliveryCutoff: Date,
) {
  const runWithLockTimeout = (statement: RawBuilder<unknown>) =>
    transaction(async (trx) => {
      await sql`set local lock_timeout = '200ms'`.execute(trx);
      await statement.execute(trx);
    });
  for (const at of [now, new Date(now.getTime() + weekMs)])
    await runWithLockTimeout(sql`select add_week_of_attempts(${at})`);
  // All attempts in a partition have expired if its week started at least a week before the cutoff. Partition names sort by date.
  const lastExpiredPartition = partitionName(new Date(deliveryCutoff.getTime() - weekMs));
  const { rows } = await sql<{ week: string }>`
    select relname as week from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'attempts'::regclass and relname similar to 'attempts_[0-9_]+' and relname <= ${lastExpiredPartition}`.execute(
    db,
  );
  for (const { week } of rows) await runWithLockTimeout(sql`drop table if exists ${sql.table(week)}`);
}

/**
 * Deletes up to `limit` deliveries settled at or before `cutoff`, and their events (D-77). A failed delivery is deleted only if a later
 * delivery superseded it, and always before that later delivery. Otherwise it could be redelivered after the later response (D-32).
 * A delivery that was redelivered is deleted after its redeliveries.
 *
 * @returns the number of deleted deliveries
 */
async function purgeDeliveries(trx: Trx, cutoff: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ id: string; event_id: string }>`
    select id, event_id from deliveries
    where settled_at <= ${cutoff}
      and not exists (select from deliveries repeat where repeat.redelivery_of = deliveries.id)
      and case state
        when 'acknowledged' then not exists (
          select from deliveries older
          where older.organisation_id = deliveries.organisation_id and older.order_key = deliveries.order_key
            and older.sequence < deliveries.sequence and older.state <> 'acknowledged'
        )
        when 'not_implemented' then true
        when 'dead' then exists (
          select from deliveries newer
          where newer.organisation_id = deliveries.organisation_id and newer.order_key = deliveries.order_key
            and newer.sequence > deliveries.sequence and newer.state <> 'dead'
        )
      end
    order by settled_at
    limit ${limit}
    for update skip locked`.execute(trx);
  if (rows.length === 0) return 0;
  const ids = sql.join(rows.map(({ id }) => id));
  const eventIds = sql.join(rows.map(({ event_id }) => event_id));
  await sql`delete from deliveries where id in (${ids})`.execute(trx);
  await sql`delete from events
    where id in (${eventIds}) and not exists (select from deliveries where event_id = events.id)`.execute(trx);
  return rows.length;
}
