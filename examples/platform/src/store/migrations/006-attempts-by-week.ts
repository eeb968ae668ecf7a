import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

const statements = `
-- PostgreSQL has no identity columns in partitions before version 17.
create sequence attempt_ids;
select setval('attempt_ids', nextval(pg_get_serial_sequence('attempts', 'id')));
alter table attempts alter id drop identity;
alter table attempts alter id set default nextval('attempt_ids');
-- The key of a partitioned table has the column by which it is partitioned.
alter table attempts drop constraint attempts_pkey, add primary key (delivery_id, id, started_at);
alter table attempts rename to attempts_earlier;
create table attempts (like attempts_earlier including defaults including indexes) partition by range (started_at);

-- Adds the partition of a week, unless it is there, or its time is before that of all weeks.
create function add_week_of_attempts(at timestamptz) returns void language plpgsql as $$
declare
  monday timestamptz := date_trunc('week', at, 'UTC');
  monday_after timestamptz := monday + interval '168 hours';
  week text := 'attempts_' || to_char(monday at time zone 'UTC', 'YYYY_MM_DD');
  first timestamptz := (
    select substring(pg_get_expr(relpartbound, oid) from 'TO \\(''(.+)''\\)')
    from pg_class where oid = 'attempts_earlier'::regclass);
begin
  -- Two processes add the same week.
  perform pg_advisory_xact_lock(hashtext('offers-platform weeks of attempts'));
  if monday < first or to_regclass(week) is not null then return; end if;
  execute format('create table %I (like attempts including defaults including indexes)', week);
  -- Attempts that were stored by a clock which runs ahead.
  execute format('with moved as (delete from attempts_otherwise where started_at >= %L and started_at < %L returning *)
    insert into %I select * from moved', monday, monday_after, week);
  -- Unlike "create table ... partition of", it lets others read and store attempts.
  execute format('alter table attempts attach partition %I for values from (%L) to (%L)', week, monday, monday_after);
end $$;

do $$
declare
  -- The week after the last attempt. Without any, there is no time before that of all weeks.
  first timestamptz := (
    select case when count(*) = 0 then '-infinity'
      else date_trunc('week', greatest(now(), max(started_at)), 'UTC') + interval '168 hours' end
    from attempts_earlier);
begin
  execute format('alter table attempts attach partition attempts_earlier for values from (minvalue) to (%L)', first);
  -- Of no week that was added.
  create table attempts_otherwise partition of attempts default;
  perform add_week_of_attempts(now()), add_week_of_attempts(now() + interval '168 hours');
end $$;
`;

/**
 * Partitions the attempts by week (D-140). Those that there are stay in one partition: it takes a lock while it makes their key
 * again, some seconds for a million.
 *
 * @param isPartitioned not on PGlite: its retention deletes rows
 */
export const attemptsByWeek = (isPartitioned: boolean): Migration => ({
  async up(db: Kysely<unknown>) {
    if (isPartitioned) await sql.raw(statements).execute(db);
  },
});
