import { type Kysely, sql } from "kysely";

const statements = `
-- A text sealed with the key of this database: whoever cannot open it has another one.
create table seal_check (
  only_one boolean primary key default true check (only_one),
  sealed text not null
);

alter table endpoints add column last_failed_at timestamptz;
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
