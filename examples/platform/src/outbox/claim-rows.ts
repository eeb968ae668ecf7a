import { sql } from "kysely";
import type { Store, Trx } from "../store/store.ts";
import type { Leases } from "./leases.ts";
import type { Lease, OutboxQueue } from "./outbox-queue.ts";
import { standstillEnds } from "./settling-lock.ts";
import { wakeLanes } from "./wake-lanes.ts";

/**
 * Leases due rows to this process, from the lanes that were woken, in turn, up to what is left of each lane's capacity. The
 * reader of the transactional outbox: inserting a row and waking its lane is what enqueues it.
 *
 * @returns undefined when no lane was woken; no rows when the woken lanes have nothing that may be done now
 */
export function claimRows(
  store: Store,
  leases: Leases,
  queue: OutboxQueue,
  limit: number,
): Promise<Lease[] | undefined> {
  return store.transaction(async (trx) => {
    await oneAtATime(trx, store, queue);
    const lanes = await takeWokenLanes(trx, queue, limit);
    if (lanes.length === 0) return undefined;
    await leases.renew(trx);
    const closed = lanes.filter(({ opensInMs }) => opensInMs !== null);
    if (closed.length > 0) await wakeWhenOpen(trx, queue, closed);
    const open = lanes.filter(({ room, opensInMs }) => room > 0 && opensInMs === null);
    if (open.length === 0) return [];
    // There are no more lanes than the limit: each has a share of one at least.
    const share = Math.floor(limit / open.length);
    const shares = open.map((lane) => ({ ...lane, share: Math.min(share, lane.room) }));
    const claimed = await leaseHeads(trx, leases, queue, shares);
    const takenOf = (lane: string) => claimed.filter((lease) => lease.lane === lane).length;
    // These may have more. The others have no due row left, or are full: then the end of one of their rows wakes them.
    const more = open.filter(({ lane, room }) => share < room && takenOf(lane) === share);
    await wakeLanes(
      trx,
      queue.name,
      more.map(({ lane }) => lane),
    );
    return claimed;
  });
}

/** Two processes that count a lane at the same time would each fill it. PGlite has one process. */
async function oneAtATime(trx: Trx, { name: store }: Store, { name }: OutboxQueue): Promise<void> {
  if (store === "pglite") return;
  // A claim that is lost in a crash of the server is as good as never made: its commit need not wait for the disk.
  await sql`select
    set_config('synchronous_commit', 'off', true),
    ${standstillEnds},
    pg_advisory_xact_lock(hashtext(${`offers-platform ${name}`}))`.execute(trx);
}

interface WokenLane {
  lane: string;
  /** How many more of its rows may be under way. */
  room: number;
  /** Of a lane that is closed for a while. */
  opensInMs: number | null;
}

/** Takes the lanes that were woken first. A lane that was woken ten thousand times takes one turn. */
async function takeWokenLanes(trx: Trx, queue: OutboxQueue, limit: number): Promise<WokenLane[]> {
  const { name, capacity, laneState } = queue;
  const state =
    laneState?.(sql.ref("woken.lane")) ?? sql`select ${capacity}::integer as capacity, null::float8 as "opensInMs"`;
  const { rows } = await sql<WokenLane>`
    with woken as materialized (
      select lane, min(at) as since from (
        select lane, at from outbox_wakeups where queue = ${name} and at <= now() order by at, lane limit ${limit}) as first
      group by lane
    ), taken as (
      delete from outbox_wakeups using woken
      where outbox_wakeups.queue = ${name} and outbox_wakeups.lane = woken.lane and at <= now()
    )
    select woken.lane, "opensInMs",
      greatest(0, capacity - (select count(*) from outbox_leases where queue = ${name} and outbox_leases.lane = woken.lane))
        as room
    from woken cross join lateral (${state}) as state
    order by since`.execute(trx);
  return rows;
}

/** Once for each pause, however often the lane is woken before its end. */
async function wakeWhenOpen(trx: Trx, { name }: OutboxQueue, lanes: readonly WokenLane[]): Promise<void> {
  await sql`
    insert into outbox_wakeups (queue, at, lane)
    select ${name}, now() + "opensInMs" * interval '1 ms', lane
    from json_to_recordset(${JSON.stringify(lanes)}::text::json) as closed (lane text, "opensInMs" float8)
    where not exists (
      select from outbox_wakeups as planned where planned.queue = ${name} and planned.lane = closed.lane
        and planned.at > now() and planned.at <= now() + ("opensInMs" + 100) * interval '1 ms')
    on conflict do nothing`.execute(trx);
}

/** "offset 0" makes PostgreSQL ask the index for each row, whatever its statistics say. */
async function leaseHeads(
  trx: Trx,
  { processId }: Leases,
  { name, table, id, lane, isBlocked }: OutboxQueue,
  shares: readonly { lane: string; share: number }[],
): Promise<Lease[]> {
  const { rows } = await sql<Lease>`
    insert into outbox_leases (queue, row_id, lane, process_id)
    select ${name}, head.row_id, lanes.lane, ${processId}::uuid
    from json_to_recordset(${JSON.stringify(shares)}::text::json) as lanes (lane text, share integer)
    cross join lateral (
      select head.${sql.ref(id)} as row_id from ${sql.table(table)} as head
      where head.due_at <= now()
        and ${lane === undefined ? sql`true` : sql`head.${sql.ref(lane)} = lanes.lane`}
        and not exists (select from outbox_leases where queue = ${name} and row_id = head.${sql.ref(id)} offset 0)
        and not (${isBlocked ?? sql`false`})
      order by head.due_at, head.${sql.ref(id)}
      limit lanes.share
    ) as head
    returning token, row_id as "rowId", lane`.execute(trx);
  return rows;
}
