import { sql } from "kysely";
import type { Store, Trx } from "../store/store.ts";
import type { Leases } from "./leases.ts";
import type { Lease, OutboxQueue } from "./queue.ts";

/** How many lanes a claim takes at most. More lanes share the cost of its transaction; fewer leave more to other processes. */
const maxLanes = 25;
/** How many wake-ups a claim reads to find lanes. The oldest may belong to lanes that other processes are claiming from. */
const wakeupsRead = 200;

/**
 * Leases due rows to this process (D-139): takes the lanes that have waited longest, and from each as many rows as its capacity
 * allows.
 *
 * At READ COMMITTED, each statement sees what was committed before it started. So `leaseRows` sees every row whose wake-up `takeLanes` has
 * deleted, and the leases of every process that has held one of these lanes before.
 *
 * @param limit the maximum number of rows
 * @throws if the reply came too late for the lease, so that the rows may belong to another process by now
 * @returns undefined if no lane is due, or other processes are claiming from all lanes of the oldest wake-ups; no rows if the
 *   taken lanes have no rows that may be attempted now
 */
export async function claimRows(
  store: Store,
  leases: Leases,
  queue: OutboxQueue,
  limit: number,
): Promise<Lease[] | undefined> {
  // The lease starts when the transaction starts, which is PostgreSQL's now().
  const sentAtMs = performance.now();
  const claimed = await store.transaction(async (trx) => {
    const lanes = await takeLanes(trx, queue, limit);
    if (lanes.length === 0) return undefined;
    const perLane = Math.floor(limit / lanes.length);
    const rows = await leaseRows(trx, queue, lanes, { perLane, processId: leases.processId });
    if (rows.length > 0) await leases.renewIn(trx);
    return rows;
  });
  if (claimed === undefined || claimed.length === 0) return claimed;
  leases.renewed(sentAtMs);
  // Even if another claim has renewed the lease since, another process may have taken over these rows before that.
  if (performance.now() >= sentAtMs + leases.leaseMs)
    throw new Error("a claim took longer than the lease: its rows are released");
  return claimed;
}

/**
 * Locks lanes that are due until the transaction ends, so that no other process counts their leases meanwhile. Skips those
 * that another process has locked. Deletes all wake-ups of these lanes: `leaseRows` inserts the one that is still needed.
 */
async function takeLanes(trx: Trx, { name }: OutboxQueue, limit: number): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`
    with due as materialized (
      select lane from (
        select lane, at from outbox_wakeups where queue = ${name} and at <= now() order by at limit ${wakeupsRead}
      ) as oldest group by lane order by min(at)
    ), taken as materialized (
      select lane from due where pg_try_advisory_xact_lock(hashtext(${name}), hashtext(lane)) limit ${Math.min(maxLanes, limit)}
    )
    delete from outbox_wakeups using taken where queue = ${name} and outbox_wakeups.lane = taken.lane
    returning taken.lane`.execute(trx);
  return [...new Set(rows.map(({ lane }) => lane))];
}

/**
 * Leases the oldest due rows of these lanes, and reads one more row per lane to know whether rows remain. If a lane has a free slot
 * for that row, it is woken when the row is due, or last in line if that time has passed. Otherwise it is woken when a lease ends.
 */
async function leaseRows(
  trx: Trx,
  { name, table, id, lane, capacity, laneState, isBlocked = sql`false` }: OutboxQueue,
  lanes: readonly string[],
  { perLane, processId }: { perLane: number; processId: string },
): Promise<Lease[]> {
  const alwaysOpen = sql`select ${capacity}::int as capacity, null::timestamptz as opens_at`;
  const isInLane = lane === undefined ? sql`true` : sql`head.${sql.ref(lane)} = open_lane.lane`;
  const { rows } = await sql<Lease>`
    with open_lane as materialized (
      select given.lane, opens_at, capacity - (
        select count(*) from outbox_leases where queue = ${name} and outbox_leases.lane = given.lane) as free
      from json_array_elements_text(${JSON.stringify(lanes)}::text::json) as given (lane)
      cross join lateral (${laneState?.(sql.ref("given.lane")) ?? alwaysOpen}) as state
    ), candidate as materialized (
      select lane, row_id, due_at, row_number() over (partition by lane order by due_at, row_id) as place
      from open_lane cross join lateral (
        select ${sql.ref(id)} as row_id, due_at from ${sql.table(table)} as head
        where ${isInLane} and due_at is not null and not (${isBlocked})
          and not exists (select from outbox_leases where queue = ${name} and row_id = head.${sql.ref(id)})
        order by due_at, ${sql.ref(id)} limit greatest(0, least(free, ${perLane} + 1))
      ) as oldest
    ), woken as (
      insert into outbox_wakeups (queue, lane, at)
      select ${name}, lane, min(greatest(due_at, now())) from candidate where place > ${perLane} or due_at > now() group by lane
      union all
      select ${name}, lane, opens_at from open_lane where opens_at > now()
    )
    insert into outbox_leases (queue, row_id, lane, process_id)
    select ${name}, row_id, lane, ${processId} from candidate where place <= ${perLane} and due_at <= now()
    returning token, row_id as "rowId", lane`.execute(trx);
  return rows;
}
