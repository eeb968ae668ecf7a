import { type Kysely, sql } from "kysely";

const statements = `
alter table endpoints
  add column scheme text not null default 'timestampDigest'
    check (scheme in ('timestampDigest', 'timestampDigestAndStandardWebhooks')),
  add column previous_sealed_secret text,
  add column previous_secret_until timestamptz,
  add column consecutive_failures integer not null default 0,
  add column failing_since timestamptz,
  add column breaker_open_count integer not null default 0,
  add column breaker_open_until timestamptz,
  add column disabled_at timestamptz,
  add column disabled_because text check (disabled_because in ('gone', 'failing')),
  add check ((previous_sealed_secret is null) = (previous_secret_until is null)),
  add check ((disabled_at is null) = (disabled_because is null));
create index on endpoints (breaker_open_until) where breaker_open_until is not null;

alter table deliveries drop constraint deliveries_state_check;
alter table deliveries
  add check (state in ('pending', 'held', 'acknowledged', 'dead')),
  add column redelivery_of text references deliveries;
create index on deliveries (next_attempt_at) where state = 'pending';
create index on deliveries (organisation_id) where state in ('pending', 'held');

alter table attempts
  add column content_type text,
  add column answer text;
create index on attempts (started_at);

alter table mails
  add column sent_at timestamptz,
  add column attempts integer not null default 0;
create index on mails (id) where sent_at is null;

alter table devices add column token text;
`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db);
}
