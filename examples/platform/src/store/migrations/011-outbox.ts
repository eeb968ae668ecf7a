import { type Kysely, sql } from "kysely";

const statements = `
drop schema if exists pgboss cascade;

-- Processes that work on rows, each until its lease ends.
create table outbox_processes (
  id uuid primary key,
  lease_until timestamptz not null
);

-- Rows that a process works on. A token is never given twice: it is the fence.
create table outbox_leases (
  queue text not null,
  row_id bigint not null,
  token bigint not null generated always as identity,
  lane text not null,
  -- Of outbox_processes. No foreign key: it would be checked for each row, and the row there is locked when leases are made.
  process_id uuid not null,
  primary key (queue, row_id)
);
create index on outbox_leases (queue, lane);

-- When to look at a lane: at once after each insert, later for retries and pauses.
create table outbox_wakeups (
  queue text not null,
  at timestamptz not null,
  lane text not null,
  primary key (queue, lane, at)
);
create index on outbox_wakeups (queue, at, lane);

-- Set for the oldest unsettled delivery of an order key alone.
alter table deliveries add column due_at timestamptz;
update deliveries set due_at = next_attempt_at
where state in ('pending', 'held') and not exists (
  select from deliveries older
  where older.organisation_id = deliveries.organisation_id and older.order_key = deliveries.order_key
    and older.sequence < deliveries.sequence and older.state in ('pending', 'held'));
alter table deliveries drop constraint deliveries_state_check;
drop index deliveries_organisation_id_state_sequence_idx;
drop index deliveries_organisation_id_order_key_sequence_idx;
update deliveries set state = 'pending' where state = 'held';
alter table deliveries
  drop column next_attempt_at,
  add check (state in ('pending', 'acknowledged', 'dead')),
  add check (due_at is null or state = 'pending');
create unique index deliveries_head on deliveries (organisation_id, order_key) where due_at is not null;
create index deliveries_due on deliveries (organisation_id, due_at, sequence) where due_at is not null;
create index deliveries_pending on deliveries (organisation_id, sequence) where state = 'pending';

alter table notifications drop column told_at, add column due_at timestamptz;
drop index notifications_id_idx;
-- Nothing older after something newer.
update notifications set due_at = now()
where sent_at is null and attempts < 10 and not exists (
  select from notifications newer
  where newer.worker_id = notifications.worker_id and newer.device_id is not distinct from notifications.device_id
    and newer.offer_id = notifications.offer_id and newer.id > notifications.id);
create index notifications_due on notifications (offer_id, due_at, id) where due_at is not null;

alter table mails add column due_at timestamptz;
update mails set due_at = next_attempt_at where sent_at is null and attempts < 8;
alter table mails drop column next_attempt_at;
create index mails_due on mails (due_at, id) where due_at is not null;

insert into outbox_wakeups (queue, at, lane)
select 'webhooks', now(), organisation_id from deliveries where due_at is not null
union select 'pushes', now(), offer_id from notifications where due_at is not null
union select 'mails', now(), '' from mails where due_at is not null;
`;

/** The rows of deliveries, notifications and mails are their own queue; the jobs that repeated them go. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
