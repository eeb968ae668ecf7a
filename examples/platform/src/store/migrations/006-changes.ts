import { type Kysely, sql } from "kysely";

// What changed is noted by the tables themselves, so that no writer can forget to. Per statement, not per row: an offer to
// 10,000 workers is one change. xid tells which changes a snapshot has seen; ids alone do not, since transactions commit in
// another order than they take them.
const statements = `
create table changes (
  id bigint primary key generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  organisation_id text not null,
  subject text not null check (subject in ('offer', 'delivery', 'endpoint', 'mail')),
  subject_id text not null,
  created_at timestamptz not null default now()
);
create index on changes (organisation_id, xid);
create index on changes (created_at);

create function note_changed_offers() returns trigger language plpgsql as $$
begin
  insert into changes (organisation_id, subject, subject_id)
  select organisation_id, 'offer', id from changed;
  return null;
end $$;
create trigger note_inserted after insert on offers
  referencing new table as changed for each statement execute function note_changed_offers();
create trigger note_updated after update on offers
  referencing new table as changed for each statement execute function note_changed_offers();

create function note_changed_recipients() returns trigger language plpgsql as $$
begin
  insert into changes (organisation_id, subject, subject_id)
  select offers.organisation_id, 'offer', offers.id from offers where offers.id in (select offer_id from changed);
  return null;
end $$;
create trigger note_updated after update on recipients
  referencing new table as changed for each statement execute function note_changed_recipients();

create function note_changed_deliveries() returns trigger language plpgsql as $$
begin
  insert into changes (organisation_id, subject, subject_id)
  select organisation_id, 'delivery', id from changed;
  return null;
end $$;
create trigger note_inserted after insert on deliveries
  referencing new table as changed for each statement execute function note_changed_deliveries();
create trigger note_updated after update on deliveries
  referencing new table as changed for each statement execute function note_changed_deliveries();

create function note_changed_endpoints() returns trigger language plpgsql as $$
begin
  insert into changes (organisation_id, subject, subject_id)
  select organisation_id, 'endpoint', organisation_id from changed;
  return null;
end $$;
create trigger note_inserted after insert on endpoints
  referencing new table as changed for each statement execute function note_changed_endpoints();
create trigger note_updated after update on endpoints
  referencing new table as changed for each statement execute function note_changed_endpoints();

create function note_changed_mails() returns trigger language plpgsql as $$
begin
  insert into changes (organisation_id, subject, subject_id)
  select people.organisation_id, 'mail', changed.id::text
  from changed
  join person_email_addresses on email_address = lower(to_address)
  join people on people.id = person_id;
  return null;
end $$;
create trigger note_inserted after insert on mails
  referencing new table as changed for each statement execute function note_changed_mails();
create trigger note_updated after update on mails
  referencing new table as changed for each statement execute function note_changed_mails();
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
