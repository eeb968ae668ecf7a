import { type Kysely, sql } from "kysely";

const statements = `
-- The people whom searches showed to a session, as hashes of organisation, name and address.
create table shown_suggestions (
  session_id text not null references sessions on delete cascade,
  suggestion_hash text not null,
  shown_at timestamptz not null,
  primary key (session_id, suggestion_hash)
);

-- The address without what may be written otherwise and leads to the same person.
alter table invitations add column mailbox text;
update invitations set mailbox = lower(regexp_replace(email_address, '(.)\\+[^@]*@', '\\1@'));
alter table invitations alter column mailbox set not null;

drop index invitations_organisation_id_idx;
create index on invitations (organisation_id, created_at);
create index on invitations (invited_by, created_at);
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
