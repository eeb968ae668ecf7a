import { type Kysely, sql } from "kysely";

const statements = `
-- Its prefix and last four characters; empty for a key that was created before they were kept.
alter table api_keys add column hint text not null default '';

-- What people of an organisation call the places of its offers. The API knows ids only.
create table places (
  organisation_id text not null references organisations,
  id text not null,
  name text not null,
  primary key (organisation_id, id)
);

-- An offer without events comes after every dated one.
alter table offers alter column work_from set default 'infinity';
update offers set work_from = 'infinity' where ends_at is null;
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
