import { type Kysely, sql } from "kysely";

const statements = `
-- Of a worker without a device: on the menu alone.
alter table notifications alter column device_id drop not null;

-- When the menu got it, whatever became of the push.
alter table notifications add column told_at timestamptz;
update notifications set told_at = coalesce(sent_at, now()) where sent_at is not null or attempts > 0;
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
