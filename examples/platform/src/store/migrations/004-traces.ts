import { type Kysely, sql } from "kysely";

const statements = `
-- The place in a trace where it was recorded, as JSON: traceparent and tracestate. Null without tracing.
alter table offers add column trace text;
alter table events add column trace text;
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
