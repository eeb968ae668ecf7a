import { sql } from "kysely";
import type { Store, Trx } from "../store/store.ts";
import { elapsedMs, type Leases, readClocks } from "./leases.ts";
import type { Lease, OutboxQueue } from "./queue.ts";

/**
 * The maximum number of lanes per claim. A higher limit spreads the cost of a transaction over more lanes. A lower limit leaves more
 * lanes for other processes.
 */
const maxLanes = 25;
/** How many wake-ups a claim reads to find lanes. Some of these lanes may be locked by other processes. */
const maxWakeupsRead = 200;

/**
 * Leases due rows to this process (D-139). Locks the lanes that have waited longest, and leases as many rows from each lane as its
 * capacity and `limit` allow.
 *
 * At READ COMMITTED, each statement sees everything that was committed before it started. So if `lockDueLanes` has deleted the wake-up
 * for a row, `leaseRows` sees this row. It also sees the leases of every process that locked one of these lanes before.
 *
 * @param limit the maximum number of rows
 * @throws if the claim took longer than the lease, because another process may already have claimed the rows
 * @returns undefined if no lane is due, or if other processes are claiming from all lanes with the oldest wake-ups; an empty array
 *   if no row in the locked lanes may be attempted now
 */
export async function claimRows(
  store: Store,
  leases: Leases,
  queue: OutboxQueue,
  limit: number,
): Promise<Lease[] | undefined> {
  // The lease starts with the transaction, at PostgreSQL's now().
  const sentAt = readClocks();
  const claimed = await store.transaction(async (trx) => {
    const lanes = await lockDueLanes(trx, queue, limit);
    if (lanes.length === 0) return undefined;
    const maxPerLane = Math.floor(limit / lanes.length);
    const rows = await leaseRows(trx, queue, lanes, { maxPerLane, processId: leases.processId });
    if (rows.length > 0) await leases.renewIn(trx);
    return rows;
  });
  if (claimed === undefined || claimed.length === 0) return claimed;
  leases.recordRenewal(sentAt);
  // Even if another claim has renewed the lease since then, another process may have claimed these rows before the renewal.
  if (elapsedMs(sentAt) >= leases.leaseMs)
    throw new Error("a claim took longer than the lease, so its rows are released");
  return claimed;
}

/**
 * Locks due lanes until the transaction ends, so that no other process counts their leases in the meantime. Skips lanes that
 * another process has locked. Deletes all wake-ups for the locked lanes; `leaseRows` inserts the ones still needed.
 */
async function lockDueLanes(trx: Trx, { name }: OutboxQueue, limit: number): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`
    with due as materialized (
      select lane from (
        select lane, at from outbox_wakeups where queue = ${name} and at <= now() order by at limit ${maxWakeupsRead}
      ) as oldest group by lane order by min(at)
    ), locked as materialized (
      select lane from due where pg_try_advisory_xact_lock(hashtext(${name}), hashtext(lane)) limit ${Math.min(maxLanes, limit)}
    )
    delete from outbox_wakeups using locked where queue = ${name} and outbox_wakeups.lane = locked.lane
    returning locked.lane`.execute(trx);
  return [...new Set(rows.map(({ lane }) => lane))];
}

/**
 * Leases the oldest due rows in these lanes, and reads one more row per lane to find out whether rows remain. If the lane has a free
 * slot for that row, inserts a wake-up for the time the row is due, but not before now, so that other due lanes are claimed first.
 * Otherwise the lane is woken when a lease ends.
 */
async function leaseRows(
  trx: Trx,
  { name, table, id, lane, laneState, isBlocked = sql`false` }: OutboxQueue,
  lanes: readonly string[],
  { maxPerLane, processId }: { maxPerLane: number; processId: string },
): Promise<Lease[]> {
  const isInLane = lane === undefined ? sql`true` : sql`head.${sql.ref(lane)} = open_lane.lane`;
  const { rows } = await sql<Lease>`
    with open_lane as materialized (
      select locked.lane, opens_at, capacity - (
        select count(*) from outbox_leases where queue = ${name} and outbox_leases.lane = locked.lane) as free_slots
      from json_array_elements_text(${JSON.stringify(lanes)}::text::json) as locked (lane)
      cross join lateral (${laneState(sql.ref("locked.lane"))}) as state
    ), candidate as materialized (
      select lane, row_id, due_at, row_number() over (partition by lane order by due_at, row_id) as place
      from open_lane cross join lateral (
        select ${sql.ref(id)} as row_id, due_at from ${sql.table(table)} as head
        where ${isInLane} and due_at is not null and not (${isBlocked})
          and not exists (select from outbox_leases where queue = ${name} and row_id = head.${sql.ref(id)})
        order by due_at, ${sql.ref(id)} limit greatest(0, least(free_slots, ${maxPerLane} + 1))
      ) as oldest
    ), woken as (
      insert into outbox_wakeups (queue, lane, at)
      select ${name}, lane, min(greatest(due_at, now())) from candidate where place > ${maxPerLane} or due_at > now() group by lane
      union all
      select ${name}, lane, opens_at from open_lane where opens_at > now()
    )
    insert into outbox_leases (queue, row_id, lane, process_id)
    select ${name}, row_id, lane, ${processId} from candidate where place <= ${maxPerLane} and due_at <= now()
    returning token, row_id as "rowId", lane`.execute(trx);
  return rows;
}
