import { type RawBuilder, sql } from "kysely";
import { type Store, shardCounts } from "../store/store.ts";
import type { QueueName } from "../store/tables.ts";
import { insertWakeups, type OutboxQueue } from "./queue.ts";

// PostgreSQL keeps a deleted row for as long as a snapshot may see it, and every search of an index meets it until then. A queue is
// searched from its oldest row, so each claim read all that was done since the oldest snapshot: after 90 seconds, at 500 events a second,
// a process claimed 28 deliveries a second instead of 2,159. So a search begins where the live rows begin.

/** A wake-up that is committed later than this after its time lies before the window, and waits until all are read. */
const lateMs = 1_000;
/**
 * The pause between two looks at all wake-ups: `busy`, or `idle` when nothing is due any more, because bursts of 4,000 deliveries took as
 * long as the pause. But 30 times as long as a look, up to `most`: after 270,000 events beside a snapshot, one took 166 ms.
 */
const readAllMs = { idle: 500, busy: 5_000, most: 8_000, timesAsLong: 30 };

/**
 * Where the wake-ups of each shard begin, as this process has seen it. On PGlite nothing moves them: it has one connection, and so no
 * snapshot beside it.
 */
export class WakeupWindows {
  #from: readonly number[];
  /** When to read all, by performance.now(); and earlier if nothing is due. */
  #readAllAt = Number.NEGATIVE_INFINITY;
  #readAllIdleAt = Number.NEGATIVE_INFINITY;
  #openedAt: number | undefined;
  /** Whether something was due since. */
  #isStale = false;

  constructor({ name }: Pick<Store, "name">) {
    this.#from = Array.from({ length: shardCounts[name] }, () => Number.NEGATIVE_INFINITY);
  }

  /** Opens the windows wide when that is due. Called before a claim. */
  open(): void {
    if (performance.now() < this.#readAllAt) return;
    this.#openedAt = performance.now();
    this.#from = this.#from.map(() => Number.NEGATIVE_INFINITY);
  }

  /**
   * @param firstMs the first wake-up of each shard that has one which is due, by its number
   * @param clockMs when they were read; both in milliseconds since 1970, by the database's clock
   */
  move(firstMs: Readonly<Record<number, number>>, clockMs: number): void {
    this.#from = this.#from.map((_, shard) => Math.min(firstMs[shard] ?? clockMs, clockMs) - lateMs);
    const isDue = Object.keys(firstMs).length > 0;
    this.#isStale = isDue || (this.#isStale && this.#openedAt === undefined);
    if (this.#openedAt === undefined) return;
    const { idle, busy, most, timesAsLong } = readAllMs;
    const now = performance.now();
    const longMs = Math.min(most, timesAsLong * (now - this.#openedAt));
    this.#readAllAt = now + Math.max(busy, longMs);
    this.#readAllIdleAt = now + Math.max(idle, longMs);
    this.#openedAt = undefined;
  }

  /** Called when nothing is due. @returns milliseconds until all must be read; Infinity when nothing was due since they were */
  idle(): number {
    if (!this.#isStale) return Number.POSITIVE_INFINITY;
    this.#readAllAt = this.#readAllIdleAt;
    return Math.max(0, this.#readAllAt - performance.now());
  }

  /**
   * The shards, as a table to join laterally: the number `shard` of each, and `since`, before which it has nothing to read. Looking into
   * each by itself, PostgreSQL reads the first entries of an index, whatever the table's statistics say. As one parameter of unknown
   * length, it is planned once.
   */
  get shards(): RawBuilder<unknown> {
    const since = this.#from.map((ms) => (Number.isFinite(ms) ? new Date(ms).toISOString() : "-infinity"));
    return sql`(
      select since, (number - 1)::int as shard
      from unnest(${`{${since.join(",")}}`}::text::timestamptz[]) with ordinality as windows (since, number)) as shards`;
  }
}

/**
 * The window of a lane, in the table `outbox_lanes`: of those of its rows that are due, and of its leases. The claim that makes about
 * every 32nd lease of a lane moves it, so that it is written seldom. A row that is committed late lies before the window, but
 * the wake-up of its transaction has the same time, and a claim reads from there. It leaves the window there for what it leaves.
 *
 * A window that moves is inserted, and the one before is deleted. Were it updated, each claim would read all of its versions that a
 * snapshot keeps: they have one key.
 */
export interface LaneWindow {
  /** To be joined laterally to `first`: the columns due_from and token_from, null for a lane without a window. */
  join: RawBuilder<unknown>;
  /** A part of the claim, after `woken` and `leased`. */
  moved: RawBuilder<unknown>;
}

/** A condition that no index serves: leases are found by their lane. */
export const isOfQueue = (queue: QueueName): RawBuilder<boolean> => sql`queue || '' = ${sql.lit(queue)}`;

export function laneWindow({ name, table, lane, hasLastingLanes = false }: OutboxQueue): LaneWindow {
  const queue = sql.lit(name);
  if (!hasLastingLanes || lane === undefined)
    return {
      join: sql`(select null::timestamptz as due_from, null::bigint as token_from) as lane_window`,
      moved: sql`select`,
    };
  return {
    join: sql`(
      select due_from, token_from from outbox_lanes where queue = ${queue} and lane = first.lane
      order by token_from desc limit 1) as lane_window`,
    moved: sql`
      insert into outbox_lanes (queue, lane, due_from, token_from)
      select ${queue}, woken.lane,
        case when marked.lane is null then since else (
          select due_at from ${sql.table(table)} as head
          where head.${sql.ref(lane)} = woken.lane and due_at >= since order by due_at limit 1) end,
        case when marked.lane is null then token_from else coalesce(
          (select token from outbox_leases
          where ${isOfQueue(name)} and outbox_leases.lane = woken.lane and token >= token_from order by token limit 1),
          marked.token) end
      from woken left join (
        select lane, min(token) as token from leased group by lane having bool_or(hashint8(token) & 31 = 0)
      ) as marked on marked.lane = woken.lane
      where since < due_from or marked.lane is not null
      on conflict (queue, lane, token_from) do update set due_from = excluded.due_from
      returning lane, token_from
    ), replaced as (
      delete from outbox_lanes where ctid = any (array(
        select before.ctid from moved join woken on woken.lane = moved.lane cross join lateral (
          select ctid from outbox_lanes
          where queue = ${queue} and lane = woken.lane and token_from = woken.token_from offset 0) as before
        where woken.token_from < moved.token_from))`,
  };
}

/**
 * Wakes the lanes that have a row which is due before their window. There is one only after a process of a version before windows
 * has left it, during an update.
 */
export async function wakeBeforeWindows({ db }: Pick<Store, "db">, { name, table, lane }: OutboxQueue): Promise<void> {
  if (lane === undefined) return;
  await insertWakeups(sql`
    select queue, first.due_at, lane from outbox_lanes cross join lateral (
      select due_at from ${sql.table(table)} as head
      where head.${sql.ref(lane)} = outbox_lanes.lane and due_at < due_from order by due_at limit 1
    ) as first where queue = ${name}`).execute(db);
}
