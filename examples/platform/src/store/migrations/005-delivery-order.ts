import { type Kysely, sql } from "kysely";

const statements = `
-- The latest word of an order key, whatever became of it.
create index on deliveries (organisation_id, order_key, sequence);

-- What is released when an endpoint is enabled.
create index on deliveries (organisation_id, sequence) where state = 'held';
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
