import { type Kysely, sql } from "kysely";

const statements = `
-- One phone, one worker: whoever signs in on it last.
create unique index on devices (token) where token is not null;

alter table mails add column next_attempt_at timestamptz not null default now();
drop index mails_id_idx;
create index on mails (next_attempt_at) where sent_at is null;

-- What retention looks for.
create index on attempts (started_at) where answer is not null;
create index on deliveries (settled_at) where settled_at is not null;
create index on deliveries (redelivery_of) where redelivery_of is not null;
create index on events (created_at);
create index on notifications (created_at);
create index on sessions (expires_at);
create index on mails (created_at);
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
