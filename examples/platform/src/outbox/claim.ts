import { type RawBuilder, sql } from "kysely";
import type { Store, Trx } from "../store/store.ts";
import type { Leases } from "./leases.ts";
import type { Lease, OutboxQueue } from "./queue.ts";

/** Lanes of one claim. With more, they share the cost of its transaction; with fewer, more are left to other processes. */
const mostLanes = 25;
/** Of these, the lanes are chosen: more than those of the lanes from which four other processes claim. */
const wakeupsRead = 200;

/**
 * Leases due rows to this process: takes the lanes that have waited longest, and from each as many rows as its capacity allows.
 *
 * Statements at READ COMMITTED see what was committed before each of them began. So `leaseRows` sees every row that a wake-up
 * deleted by `takeLanes` announced, and every lease that another process made before it let go of a lane.
 *
 * @param limit how many rows at most
 * @returns undefined when no lane is due, or other processes are claiming from all that are; no rows when the lanes that were taken
 *   have none that may go now
 */
export async function claimRows(
  store: Store,
  leases: Leases,
  queue: OutboxQueue,
  limit: number,
): Promise<Lease[] | undefined> {
  // The lease lasts from the transaction's begin, which is PostgreSQL's now().
  const sentAtMs = performance.now();
  const claimed = await store.transaction(async (trx) => {
    const lanes = await takeLanes(trx, queue, limit);
    if (lanes.length === 0) return undefined;
    const perLane = Math.floor(limit / lanes.length);
    const rows = await leaseRows(trx, queue, lanes, { perLane, processId: leases.processId });
    if (rows.length > 0) await leases.renewIn(trx);
    return rows;
  });
  if (claimed !== undefined && claimed.length > 0) leases.renewed(sentAtMs);
  return claimed;
}

/**
 * Takes lanes that are due, so that no other process counts their leases before this one has committed its own. Passes over those
 * that another process has taken. Deletes their wake-ups: `leaseRows` inserts what is still needed.
 */
async function takeLanes(trx: Trx, { name }: OutboxQueue, limit: number): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`
    with due as materialized (
      select lane from (
        select lane, at from outbox_wakeups where queue = ${name} and at <= now() order by at limit ${wakeupsRead}
      ) as oldest group by lane order by min(at)
    ), taken as materialized (
      select lane from due where pg_try_advisory_xact_lock(hashtext(${name}), hashtext(lane)) limit ${Math.min(mostLanes, limit)}
    )
    delete from outbox_wakeups using taken where queue = ${name} and outbox_wakeups.lane = taken.lane
    returning taken.lane`.execute(trx);
  return [...new Set(rows.map(({ lane }) => lane))];
}

/**
 * Leases the oldest due rows of these lanes. Where a lane has room for more than that, it wakes the lane when its next row is due:
 * at once, at the end of the line, if the row is due already. A lane that is full is woken by the end of a lease.
 */
async function leaseRows(
  trx: Trx,
  { name, table, id, lane, capacity, laneState, isBlocked }: OutboxQueue,
  lanes: readonly string[],
  { perLane, processId }: { perLane: number; processId: string },
): Promise<Lease[]> {
  const always = sql`select ${capacity}::int as capacity, null::timestamptz as opens_at`;
  const { rows } = await sql<Lease>`
    with lane as materialized (
      select taken.lane, opens_at, capacity - (
        select count(*) from outbox_leases where queue = ${name} and outbox_leases.lane = taken.lane) as room
      from json_array_elements_text(${JSON.stringify(lanes)}::text::json) as taken (lane)
      cross join lateral (${laneState?.(sql.ref("taken.lane")) ?? always}) as state
    ), head as materialized (
      select lane, row_id, due_at, row_number() over (partition by lane order by due_at, row_id) as place
      from lane cross join lateral (
        select ${sql.ref(id)} as row_id, due_at from ${sql.table(table)} as head
        where ${isIn(lane)} and due_at is not null ${isBlocked === undefined ? sql`` : sql`and not (${isBlocked})`}
          and not exists (select from outbox_leases where queue = ${name} and row_id = head.${sql.ref(id)})
        order by due_at, ${sql.ref(id)} limit greatest(0, least(room, ${perLane} + 1))
      ) as head
    ), woken as (
      insert into outbox_wakeups (queue, lane, at)
      select ${name}, lane, min(greatest(due_at, now())) from head where place > ${perLane} or due_at > now() group by lane
      union all
      select ${name}, lane, opens_at from lane where opens_at > now()
    )
    insert into outbox_leases (queue, row_id, lane, process_id)
    select ${name}, row_id, lane, ${processId} from head where place <= ${perLane} and due_at <= now()
    returning token, row_id as "rowId", lane`.execute(trx);
  return rows;
}

const isIn = (column: OutboxQueue["lane"]): RawBuilder<unknown> =>
  column === undefined ? sql`true` : sql`head.${sql.ref(column)} = lane.lane`;
