import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import type { Store } from "../store/store.ts";
import type { Leases } from "./leases.ts";
import { insertWakeups, type Lease, type OutboxQueue } from "./queue.ts";
import { dueWakeups, holdShards } from "./shards.ts";
import { isOfQueue, laneWindow, WakeupWindows } from "./windows.ts";

/** How soon to look again when other processes claim from every shard that has something due. A claim takes them some 3 ms. */
const busyPauseMs = 5;

/**
 * Leases due rows to this process: from the lanes that were woken, in turn, up to the free capacity of each lane. This is the
 * reading side of the outbox; inserting a row and waking its lane (`wakeLanes`) is the writing side.
 *
 * @returns undefined when no lane was woken; no rows when the woken lanes have none that may be attempted now, or when other
 *   processes are claiming from all of them
 */
export async function claimRows(
  store: Store,
  leases: Leases,
  queue: OutboxQueue,
  limit: number,
  windows: WakeupWindows = new WakeupWindows(store),
): Promise<Lease[] | undefined> {
  windows.open();
  // A lease is counted from the begin of the transaction that renews it, which PostgreSQL's now() returns.
  const sentAtMs = performance.now();
  const claimIn = async (db: Store["db"], held?: number): Promise<Lease[] | undefined> => {
    const { rows } = await claim(queue, leases, windows, limit, held).execute(db);
    const leased = rows.filter(({ token }) => token !== null);
    if (leased.length > 0) leases.renewed(sentAtMs, rows[0]?.isRenewed);
    return rows.length === 0 ? undefined : leased.map(({ token, rowId, lane }) => ({ token, rowId, lane }));
  };
  // PGlite has one process.
  if (store.name === "pglite") return claimIn(store.db);
  const claimed = await store.transaction(async (trx) => {
    const { isDue, held } = await holdShards(trx, queue.name, windows, limit);
    if (held !== null) return claimIn(trx, held);
    return isDue ? "busy" : undefined;
  });
  if (claimed !== "busy") return claimed;
  await setTimeout(busyPauseMs);
  return [];
}

/**
 * One statement, so that it sees one snapshot: when it deletes the wake-up of a lane, it has seen all rows of that lane. It
 * deletes the wake-up of a lane that is full, is closed or has no further row; the end of a lease, the end of the lane's pause
 * or an insert wakes such a lane again. The lane whose rows the limit cut off goes to the end of the line: had it kept its turn,
 * 1,300 of its rows would have gone before another lane's first. Lanes beyond the limit keep theirs. It deletes no wake-up
 * before this process's window: that one was committed late, and a later claim must see the rows that it announces. It plans a wake-up
 * for the lane's next row unless there is one: that row's own is gone if a claim met it before the database's clock was set back.
 *
 * The queue, the limit and the capacity are part of the text, not parameters: PostgreSQL estimates the number of rows from
 * them. With parameters it planned each claim again, which took a third of the claim's time.
 *
 * "offset 0" makes PostgreSQL query an index for each row, and each condition has one index that could serve it, or two that read few
 * rows: the statistics of a table from which rows come and go say little. "limit capacity" makes it count leases
 * by an index scan, which skips leases that have ended: a bitmap scan read a thousand of them for each lane. The rows are loaded
 * by a separate statement: within this one PGlite delivered a tenth more, but claims took twice as long, up to 11 ms beside
 * three million rows.
 */
function claim(queue: OutboxQueue, leases: Leases, windows: WakeupWindows, most: number, held: number | undefined) {
  const { table, id, lane, capacity, laneState, isBlocked = sql`false` } = queue;
  const [name, limit] = [sql.lit(queue.name), sql.lit(most)];
  const always = sql`select ${sql.lit(capacity)} as capacity, null::float8 as "opensInMs"`;
  const isOf = (of: "woken" | "passed") =>
    lane === undefined ? sql`true` : sql`head.${sql.ref(lane)} = ${sql.table(of)}.lane`;
  // PGlite has one connection, and so no snapshot beside it.
  const laneWindows = laneWindow(held === undefined ? { ...queue, hasLastingLanes: false } : queue);
  const ofLane = sql`queue = ${name} and outbox_wakeups.shard = passed.shard and outbox_wakeups.lane = passed.lane`;
  return sql<Lease & { isRenewed: boolean }>`
    with woken as materialized (
      select shard, lane, at, coalesce(due_from, '-infinity') as due_from, coalesce(token_from, 0) as token_from,
        least(at, coalesce(due_from, '-infinity')) as since from (
        select shard, lane, min(at) as at from (${dueWakeups(queue.name, windows, most, held)}) as due group by shard, lane
      ) as first left join lateral ${laneWindows.join} on true
      order by at, lane
    ), heads as materialized (
      select shard, lane, at, "opensInMs", room, row_id from woken cross join lateral (
        select "opensInMs", case when "opensInMs" is null then greatest(0, capacity - (
          select count(*) from (
            select from outbox_leases where ${isOfQueue(queue.name)} and outbox_leases.lane = woken.lane
              and token >= token_from limit capacity) as held
        )) else 0 end as room
        from (${laneState?.(sql.ref("woken.lane")) ?? always}) as state offset 0
      ) as state left join lateral (
        select head.${sql.ref(id)} as row_id from ${sql.table(table)} as head
        where head.due_at >= since and head.due_at <= now() and ${isOf("woken")} and not (${isBlocked})
          and not exists (select from outbox_leases where queue = ${name} and row_id = head.${sql.ref(id)} offset 0)
        order by head.due_at, head.${sql.ref(id)}
        limit room
      ) as head on true
      limit ${limit}
    ), renewed as (
      ${leases.renewal(sql`exists (select from heads where row_id is not null)`)}
    ), leased as (
      insert into outbox_leases (queue, row_id, lane, process_id)
      select ${name}, row_id, lane, ${leases.processId}::uuid from heads where row_id is not null
      returning token, row_id, lane
    ), moved as (${laneWindows.moved}
    ), passed as (
      select shard, lane, at as since, max("opensInMs") as "opensInMs", count(row_id) < max(room) as "hasRoom",
        count(row_id) < max(room) and lane = (select (array_agg(lane))[${limit}] from heads) as "isCut"
      from heads group by shard, lane, at
    ), taken as (
      delete from outbox_wakeups where ctid = any (array(
        select seen.ctid from passed cross join lateral (
          select ctid from outbox_wakeups where ${ofLane}
            and at >= since and at <= now() and (at < now() or "isCut" is not true) offset 0) as seen))
    ), planned as (${insertWakeups(sql`
      select ${name}, now() + coalesce("opensInMs", 0) * interval '1 ms', lane from passed
      where "isCut" or "opensInMs" is not null and not exists (
        select from outbox_wakeups where ${ofLane}
          and at > now() and at <= now() + ("opensInMs" + 100) * interval '1 ms')
      union all
      select ${name}, next.due_at, lane from passed cross join lateral (
        select due_at from ${sql.table(table)} as head
        where head.due_at > now() and ${isOf("passed")} order by due_at limit 1 offset 0
      ) as next
      where "hasRoom" and "isCut" is not true and not exists (
        select from outbox_wakeups where ${ofLane} and at > now() and at <= next.due_at offset 0)`)}
    )
    select token, row_id as "rowId", leased.lane, exists (select from renewed) as "isRenewed"
    from (select from heads limit 1) as looked left join leased on true`;
}
