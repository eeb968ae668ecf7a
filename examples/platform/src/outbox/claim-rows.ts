import { type RawBuilder, sql } from "kysely";
import type { Store, Trx } from "../store/store.ts";
import type { Leases } from "./leases.ts";
import type { Lease, OutboxQueue } from "./outbox-queue.ts";
import { standstillEnds } from "./standstill-ends.ts";

/**
 * Takes due rows for this process, each under a lease: of the lanes that were woken, in turn, up to what is left of each lane's
 * capacity. The transactional outbox's one reader: the insert of a row and the wake-up of its lane are its enqueueing.
 *
 * @returns undefined when no lane was woken; no rows when those that were have nothing that may be done now
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
    const claimed = await leaseHeads(trx, leases, queue, lanes, limit);
    await planNextLook(trx, queue, lanes);
    return claimed;
  });
}

/** Two processes that count a lane at the same time would each fill it. On PGlite there is one. */
async function oneAtATime(trx: Trx, { name: store }: Store, { name }: OutboxQueue): Promise<void> {
  if (store === "pglite") return;
  // Lost in a crash of the server, a claim is as good as never made: its commit need not wait for the disk.
  await sql`select
    set_config('synchronous_commit', 'off', true),
    ${standstillEnds},
    pg_advisory_xact_lock(hashtext(${`offers-platform ${name}`}))`.execute(trx);
}

/**
 * The lanes that were woken first. Whatever else would wake them goes too: they are looked at now, and what is to come is planned
 * anew. So a lane that was woken ten thousand times, or planned for many moments, takes one turn.
 */
async function takeWokenLanes(trx: Trx, { name }: OutboxQueue, limit: number): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`
    with woken as materialized (
      select distinct lane from (
        select lane from outbox_wakeups where queue = ${name} and at <= now() order by at, lane limit ${limit}) as first)
    delete from outbox_wakeups using woken
    where outbox_wakeups.queue = ${name} and outbox_wakeups.lane = woken.lane
    returning outbox_wakeups.lane`.execute(trx);
  return [...new Set(rows.map(({ lane }) => lane))];
}

async function leaseHeads(
  trx: Trx,
  { processId }: Leases,
  queue: OutboxQueue,
  lanes: readonly string[],
  limit: number,
): Promise<Lease[]> {
  const { rows } = await sql<Lease>`
    insert into outbox_leases (queue, row_id, lane, process_id)
    select ${queue.name}, row_id, lane, ${processId}::uuid
    from (
      select head.row_id, lanes.lane, row_number() over (partition by lanes.lane order by head.due_at, head.row_id) as turn
      from (${openLanes(queue, lanes)}) as lanes
      cross join lateral (${heads(queue)} and head.due_at <= now() order by head.due_at, head.${sql.ref(queue.id)}
        limit greatest(0, lanes.capacity - lanes.under_way)) as head
      where lanes.opens_at is null
    ) as due
    order by turn
    limit ${limit}
    returning token, row_id as "rowId", lane`.execute(trx);
  return rows;
}

/** Wakes each lane again when its next row is due, or it opens. A full lane is woken by what ends there. */
async function planNextLook(trx: Trx, queue: OutboxQueue, lanes: readonly string[]): Promise<void> {
  await sql`
    insert into outbox_wakeups (queue, at, lane)
    select ${queue.name}, greatest(coalesce(lanes.opens_at, next.due_at), now()), lanes.lane
    from (${openLanes(queue, lanes)}) as lanes
    left join lateral (${heads(queue)} order by head.due_at, head.${sql.ref(queue.id)} limit 1) as next
      on lanes.opens_at is null and lanes.under_way < lanes.capacity
    where coalesce(lanes.opens_at, next.due_at) is not null
    on conflict do nothing`.execute(trx);
}

/** Each lane with its capacity, how many of its rows are under way, and when it opens if it is closed. */
function openLanes({ name, capacity, laneState }: OutboxQueue, lanes: readonly string[]): RawBuilder<unknown> {
  const state =
    laneState?.(sql.ref("given.lane")) ?? sql`select ${capacity}::integer as capacity, null::timestamptz as opens_at`;
  return sql`
    select given.lane, state.capacity, state.opens_at,
      (select count(*) from outbox_leases where queue = ${name} and outbox_leases.lane = given.lane) as under_way
    from json_array_elements_text(${JSON.stringify(lanes)}::text::json) as given (lane)
    cross join lateral (${state}) as state`;
}

/** The rows of a lane that nobody works on. "offset 0" has PostgreSQL ask the index row by row, whatever its statistics say. */
function heads({ name, table, id, lane, isBlocked }: OutboxQueue): RawBuilder<unknown> {
  return sql`
    select head.${sql.ref(id)} as row_id, head.due_at from ${sql.table(table)} as head
    where head.due_at is not null
      and ${lane === undefined ? sql`true` : sql`head.${sql.ref(lane)} = lanes.lane`}
      and not exists (select from outbox_leases where queue = ${name} and row_id = head.${sql.ref(id)} offset 0)
      ${isBlocked === undefined ? sql`` : sql`and not ${isBlocked}`}`;
}
