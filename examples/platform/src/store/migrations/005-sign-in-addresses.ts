import { sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Compares invited addresses like those of sign-ins, whatever the database's collation (D-164). */
const statements = `
alter table invitations drop column sign_in_address;
alter table invitations add column sign_in_address text not null
  generated always as (lower(email_address collate "C")) stored;
`;

export const signInAddresses: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};
