import { sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the state of a delivery of an optional event that its endpoint does not implement (D-152). */
const statements = `
-- Not validated, because all earlier states are still allowed, and reading the whole table would block deliveries.
alter table deliveries drop constraint deliveries_state_check;
alter table deliveries add constraint deliveries_state_check
  check (state in ('pending', 'acknowledged', 'dead', 'not_implemented')) not valid;

-- Whether the base URL has ever acknowledged a contact. If it has, a 404 means that something is broken.
alter table endpoints add column has_acknowledged_contact boolean not null default false;
-- Retention may have cleared the exchange. Then assume the same base URL, because retrying a contact loses nothing.
update endpoints set has_acknowledged_contact = exists (
  select from deliveries join events on events.id = deliveries.event_id
  where deliveries.organisation_id = endpoints.organisation_id and events.type = 'workerAddedContact'
    and deliveries.state = 'acknowledged' and not exists (
      select from attempts where delivery_id = deliveries.id and error is null
        and exchange::json ->> 'baseAddress' <> endpoints.base_address
    )
);
`;

export const optionalEvents: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};
