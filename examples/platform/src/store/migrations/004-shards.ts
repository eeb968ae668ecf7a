import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * @param count of shards. A power of two: the hash of a lane is cut to so many bits. PGlite serves one process, which needs no more
 *   than one
 */
export const shards = (count: number): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`
-- Stored, so that an index begins with it. Every row of a lane is in one shard, whose lock a claim holds.
alter table outbox_wakeups add column shard smallint not null generated always as (
  ${count === 1 ? "0" : `(hashtext(lane) & ${count - 1})::smallint`}) stored;
-- Until they are stopped, processes of the version before sort the wake-ups of a queue.
drop index outbox_wakeups_queue_at_lane_idx;
create index outbox_wakeups_due on outbox_wakeups (queue, shard, at, lane);
`)
      .execute(db);
  },
});
