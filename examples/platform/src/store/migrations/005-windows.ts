import { type Kysely, sql } from "kysely";

const statements = `
-- Where the rows of a lane begin: see dispatch/outbox/windows.ts.
create table outbox_lanes (
  queue text not null,
  lane text not null,
  -- A row that is due before this has a wake-up at its time, or before.
  due_from timestamptz not null,
  -- No lease of the lane has a token before this.
  token_from bigint not null,
  primary key (queue, lane)
);
drop index outbox_leases_queue_lane_idx;
-- Without the queue: an index of each, and a condition on the queue, made a plan read all leases of a queue.
create index outbox_leases_of_lane on outbox_leases (lane, token);
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
