import { type RawBuilder, sql } from "kysely";
import { type Store, shardCounts, type Trx } from "../../store/store.ts";
import type { QueueName } from "../../store/tables.ts";
import { idleTransactionTimeout } from "./outbox-queue.ts";

/**
 * The shards, as a table to join laterally. Looking into each by itself, PostgreSQL reads the first entries of an index, whatever the
 * table's statistics say.
 */
export const shardsOf = (store: Pick<Store, "name">): RawBuilder<unknown> =>
  sql`generate_series(0, ${sql.lit(shardCounts[store.name] - 1)}) as shards (shard)`;

/** What a claim may lease from. */
export interface HeldShards {
  /** Whether any lane is due, in a shard that is held or not. */
  isDue: boolean;
  /** Their numbers as bits; null when other processes hold all that have something due. */
  held: number | null;
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
 */
export async function holdShards(trx: Trx, queue: QueueName, limit: number): Promise<HeldShards> {
  const [name, key] = [sql.lit(queue), sql`hashtext(${`offers-platform ${queue}`})`];
  const due = (shard: RawBuilder<unknown>) => sql`queue = ${name} and outbox_wakeups.shard = ${shard} and at <= now()`;
  // Its commit need not wait for the disk: a claim that is lost in a crash of the database server has no effect.
  const { rows } = await sql<HeldShards>`
    with due as materialized (
      select shards.shard, first.at from ${shardsOf({ name: "postgres" })} cross join lateral (
        select at from outbox_wakeups where ${due(sql`shards.shard`)} order by at limit 1
      ) as first order by at
    ), held as materialized (
      select shard from (select shard from due order by at offset 0) as oldest
      where pg_try_advisory_xact_lock(${key}, shard)
      limit (select ${sql.lit(limit - 1)} / greatest(1, count(*)) + 1 from (
        select from outbox_wakeups where ${due(sql`(select shard from due order by at limit 1)`)} limit ${sql.lit(limit)}) as lanes)
    )
    select
      set_config('synchronous_commit', 'off', true),
      ${idleTransactionTimeout},
      exists (select from due) as "isDue",
      case when pg_try_advisory_xact_lock_shared(${key}) then (select bit_or(1 << shard) from held) end as held`.execute(
    trx,
  );
  return rows[0] ?? { isDue: false, held: null };
}

/**
 * A select of the lane and time of the wake-ups that are due, oldest first.
 *
 * @param held the shards, as `holdShards` returns them: their number must not change the plan, which PostgreSQL would then
 *   make again for each claim. On PGlite there is one.
 */
export function dueWakeups(queue: QueueName, limit: number, held: number | undefined): RawBuilder<unknown> {
  const [name, most] = [sql.lit(queue), sql.lit(limit)];
  const inShard = (shard: RawBuilder<unknown>) => sql`
    select lane, at from outbox_wakeups where queue = ${name} and shard = ${shard} and at <= now() order by at, lane limit ${most}`;
  if (held === undefined) return inShard(sql`0`);
  return sql`
    select lane, at from ${shardsOf({ name: "postgres" })} cross join lateral (${inShard(sql`shards.shard`)}) as due
    where (${held}::int >> shards.shard) & 1 = 1
    order by at, lane limit ${most}`;
}
