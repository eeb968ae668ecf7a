import { sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the counts that all processes share (D-159). The columns are those of rate-limiter-flexible, in its order. */
const statements = `
-- Unlogged, because counting need not wait for the disk, and a crash of the database may reset the counts.
create unlogged table rate_limits (
  key text primary key,
  points integer not null,
  -- The end of the window, in milliseconds since 1970.
  expire bigint not null
);
`;

export const sharedLimits: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};
