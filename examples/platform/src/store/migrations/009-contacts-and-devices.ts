import { type Kysely, sql } from "kysely";

const statements = `
-- How many contacts a worker has added lately.
create index events_contacts_of_worker on events ((data ->> 'workerId'), created_at) where type = 'workerAddedContact';

-- A notification stays on the menu when its device is removed.
alter table notifications drop constraint notifications_device_id_fkey;
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
