import { type RawBuilder, type SqlBool, sql } from "kysely";

/** A part of a list. */
export interface ListPart {
  /** The id after which it begins; without one it begins with the newest. */
  before?: string | undefined;
  limit: number;
}

/** Those of an organisation's rows that come after the one with this id, newest first. None after what it has not. */
export const olderThan = (table: "offers" | "invitations", organisationId: string, id: string): RawBuilder<SqlBool> =>
  sql`(${sql.ref(`${table}.created_at`)}, ${sql.ref(`${table}.id`)}) < (
    select created_at, id from ${sql.table(table)} as last where id = ${id} and organisation_id = ${organisationId})`;
