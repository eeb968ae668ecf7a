import { type Kysely, sql } from "kysely";

const statements = `
-- The latest word of an order key, whatever became of it.
create index on deliveries (organisation_id, order_key, sequence);

-- What is held and released when an endpoint is disabled and enabled.
drop index deliveries_organisation_id_idx;
create index on deliveries (organisation_id, state, sequence) where state in ('pending', 'held');
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
