import { type RawBuilder, sql } from "kysely";
import type { Trx } from "../store/store.ts";
import type { QueueName } from "../store/tables.ts";
import { idleTransactionTimeout, milliseconds } from "./queue.ts";
import type { WakeupWindows } from "./windows.ts";

/** What a claim may lease from. */
export interface HeldShards {
  /** Whether any lane is due, in a shard that is held or not. */
  isDue: boolean;
  /** Their numbers as bits; null when other processes hold all that have something due. */
  held: number | null;
}

interface LookedAt {
  held: HeldShards["held"];
  firstMs: Readonly<Record<number, number>>;
  clockMs: number;
}

/**
 * Holds shards until the end of the transaction, so that no other process claims from them: two processes that count the leases of a lane
 * at the same time would each fill it to its capacity. Never waits for another process. A statement of its own, because the
 * snapshot of the claim must be taken after the locks.
 *
 * Shards whose first lane has waited longest come first, and so many are taken as fill the claim: by the number of lanes that are
 * due in the first one. With one shard at a time, processes delivered a third less to 20 endpoints.
 *
 * Versions before shards took one lock for all, exclusively. Claims share it, so they and claims of those versions take turns.
 *
 * @param windows are moved to what was read
 */
export async function holdShards(
  trx: Trx,
  queue: QueueName,
  windows: WakeupWindows,
  limit: number,
): Promise<HeldShards> {
  const [name, key] = [sql.lit(queue), sql`hashtext(${`offers-platform ${queue}`})`];
  const due = (shard: RawBuilder<unknown>, since: RawBuilder<unknown>) => sql`
    queue = ${name} and outbox_wakeups.shard = ${shard} and at >= ${since} and at <= now()`;
  const oldest = (column: RawBuilder<unknown>) => sql`(select ${column} from due order by at limit 1)`;
  // The claim's commit need not wait for the disk: a claim that is lost in a crash of the database server has no effect. Without sorting, it
  // reads due rows by the index that has their order: PostgreSQL also read all due rows of a lane, and those that a snapshot keeps.
  const { rows } = await sql<LookedAt>`
    with due as materialized (
      select shards.shard, first.at from ${windows.shards} cross join lateral (
        select at from outbox_wakeups where ${due(sql`shards.shard`, sql`shards.since`)} order by at limit 1
      ) as first order by at
    ), held as materialized (
      select shard from (select shard from due order by at offset 0) as oldest
      where pg_try_advisory_xact_lock(${key}, shard)
      limit (select ${sql.lit(limit - 1)} / greatest(1, count(*)) + 1 from (
        select from outbox_wakeups where ${due(oldest(sql`shard`), oldest(sql`at`))} limit ${sql.lit(limit)}) as lanes)
    )
    select
      set_config('synchronous_commit', 'off', true),
      set_config('enable_sort', 'off', true),
      ${idleTransactionTimeout},
      (select coalesce(json_object_agg(shard, ${milliseconds(sql`at`)}), '{}') from due) as "firstMs",
      ${milliseconds(sql`now()`)} as "clockMs",
      case when pg_try_advisory_xact_lock_shared(${key}) then (select bit_or(1 << shard) from held) end as held`.execute(
    trx,
  );
  const [looked] = rows;
  if (looked === undefined) return { isDue: false, held: null };
  windows.move(looked.firstMs, looked.clockMs);
  return { isDue: Object.keys(looked.firstMs).length > 0, held: looked.held };
}

/**
 * A select of the shard, lane and time of the wake-ups that are due, oldest first.
 *
 * @param held the shards, as `holdShards` returns them: their number must not change the plan, which PostgreSQL would then
 *   make again for each claim. On PGlite there is one.
 */
export function dueWakeups(
  queue: QueueName,
  windows: WakeupWindows,
  limit: number,
  held: number | undefined,
): RawBuilder<unknown> {
  const [name, most] = [sql.lit(queue), sql.lit(limit)];
  const inShard = (shard: RawBuilder<unknown>, since = sql``) => sql`
    select shard, lane, at from outbox_wakeups where queue = ${name} and shard = ${shard} ${since} and at <= now()
    order by at, lane limit ${most}`;
  if (held === undefined) return inShard(sql`0`);
  return sql`
    select due.shard, lane, at from ${windows.shards} cross join lateral (
      ${inShard(sql`shards.shard`, sql`and at >= shards.since`)}) as due
    where (${held}::int >> shards.shard) & 1 = 1
    order by at, lane limit ${most}`;
}
