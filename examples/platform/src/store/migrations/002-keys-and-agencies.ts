import { type Kysely, sql } from "kysely";

const statements = `
alter table api_keys add column agency_id text references organisations;

create table idempotency_keys (
  organisation_id text not null references organisations,
  key_hash text not null,
  fingerprint text not null,
  answer text not null,
  created_at timestamptz not null,
  primary key (organisation_id, key_hash)
);
create index on idempotency_keys (created_at);
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
