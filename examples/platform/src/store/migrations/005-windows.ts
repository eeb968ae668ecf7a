import { type Kysely, sql } from "kysely";

const statements = `
-- Where the rows of a lane begin: see outbox/windows.ts. The row with the greatest token counts.
create table outbox_lanes (
  queue text not null,
  lane text not null,
  -- A row that is due before this has a wake-up at its time, or before.
  due_from timestamptz not null,
  -- No lease of the lane has a token before this.
  token_from bigint not null,
  primary key (queue, lane, token_from)
);
drop index outbox_leases_queue_lane_idx;
-- Not by the queue: with two indexes that begin with it, a plan read all leases of the queue.
create index outbox_leases_of_lane on outbox_leases (lane, token) include (queue);
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
