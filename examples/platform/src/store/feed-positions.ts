import { sql } from "kysely";
import type { Store } from "./store.ts";

/** The tables whose rows an owner reads in order. `positions` is the table that stores each owner's last position. */
const feeds = {
  /** Events are in the order in which they were recorded. The lock on an order key guarantees this order, regardless of clocks. */
  events: { owner: "organisation_id", order: "feed_order", positions: "event_feeds" },
  notifications: { owner: "worker_id", order: "id", positions: "notification_feeds" },
} as const;

type FeedTable = keyof typeof feeds;

/** The maximum number of rows per transaction, which must end within five seconds. */
const batchSize = 5_000;

/**
 * Whether rows without a position remain. `more`: another call can assign their positions. `locked`: another transaction has locked
 * them.
 */
export type UnassignedRows = "none" | "more" | "locked";

/**
 * Assigns positions in the owners' feeds, in order, to committed rows without a position. If positions were assigned before the
 * commit, a reader would miss a row that is committed late. If readers waited for the oldest transaction, a transaction that stays
 * open would block them all. Only one reader at a time assigns positions, so a reader that sees a position has seen all lower ones.
 *
 * Waits briefly for rows that another transaction has locked, then skips them, because a withdrawal may lock thousands of rows for seconds.
 */
export async function assignPositions(
  store: Store,
  table: FeedTable,
  ownerIds: readonly string[],
): Promise<UnassignedRows> {
  const owners = await findOwnersWithUnassigned(store, table, ownerIds);
  // Do not start a write transaction for a poll that finds nothing.
  if (owners.length === 0) return "none";
  try {
    return (await assignBatch(store, table, owners, "wait")) === batchSize ? "more" : "none";
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return (await assignBatch(store, table, owners, "skip")) === batchSize ? "more" : "locked";
  }
}

/** Builds a subquery with one row per id. */
const idTable = (ids: readonly string[]) =>
  sql`(select json_array_elements_text(${JSON.stringify(ids)}::text::json) as id) as ids`;

/** Returns the owners of rows without a position. `order by` makes the planner use the index, even if statistics are outdated. */
async function findOwnersWithUnassigned(
  store: Store,
  table: FeedTable,
  ownerIds: readonly string[],
): Promise<string[]> {
  const { owner, order } = feeds[table];
  const { rows } = await sql<{ id: string }>`
    select ids.id from ${idTable(ownerIds)} cross join lateral (
      select from ${sql.table(table)} where ${sql.ref(owner)} = ids.id and position is null
      order by ${sql.ref(order)} limit 1
    ) as unassigned`.execute(store.db);
  return rows.map(({ id }) => id);
}

/** How long to wait for a row that another transaction has locked. Settling a push locks a row for milliseconds. */
const lockTimeoutMs = 200;

const isLockTimeout = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "55P03";

/** Assigns positions to one batch of rows. @returns the number of rows */
function assignBatch(
  store: Store,
  table: FeedTable,
  ownerIds: readonly string[],
  whenLocked: "wait" | "skip",
): Promise<number> {
  const { owner, order, positions } = feeds[table];
  const rowTable = sql.table(table);
  const ownerColumn = sql.ref(owner);
  const orderColumn = sql.ref(order);
  const counters = sql.table(positions);
  const belongsToOwners = sql`${ownerColumn} in (select id from ${idTable(ownerIds)})`;
  return store.transaction(async (trx) => {
    await sql`insert into ${counters} (${ownerColumn}) select id from ${idTable(ownerIds)} order by id
      on conflict do nothing`.execute(trx);
    await sql`select from ${counters} where ${belongsToOwners} order by ${ownerColumn} for update`.execute(trx);
    if (whenLocked === "wait") await sql.raw(`set local lock_timeout = ${lockTimeoutMs}`).execute(trx);
    // Use a separate statement, which sees what was committed while the previous one waited for locks. To prevent deadlocks, lock the
    // rows in the order in which pushes are settled and superseded.
    const { rows } = await sql<{ assigned: number }>`
      with unassigned as materialized (
        select id, ${ownerColumn} as owner, ${orderColumn} as number from ${rowTable}
        where ${belongsToOwners} and position is null
        order by ${orderColumn} limit ${batchSize} for no key update ${sql.raw(whenLocked === "skip" ? "skip locked" : "")}
      ), numbered as (
        select id, owner, row_number() over (partition by owner order by number) as offset_in_batch from unassigned
      ), assigned as (
        update ${rowTable} as feed set position = last_position + offset_in_batch
        from numbered join ${counters} as counter on counter.${ownerColumn} = numbered.owner
        where feed.id = numbered.id
        returning numbered.owner, position
      ), totals as (
        select owner, count(*)::int as assigned, max(position) as last from assigned group by owner
      ), updated_counters as (
        update ${counters} set last_position = last from totals where ${ownerColumn} = totals.owner
      )
      select coalesce(sum(assigned), 0)::int as assigned from totals`.execute(trx);
    return rows[0]?.assigned ?? 0;
  });
}
