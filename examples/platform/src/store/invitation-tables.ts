import type { ColumnType, Generated } from "kysely";
import type { CreatedAt, DueAt, Fact, OptionalTimestamp, Timestamp } from "./column-types.ts";

/** A person that a hirer picked from the suggestions. */
export interface InvitationTable {
  id: Fact<string>;
  organisation_id: Fact<string>;
  invited_by: Fact<string>;
  suggested_by: Fact<string>;
  name: Fact<string>;
  email_address: Fact<string>;
  /** The address without what may be written otherwise: another spelling is no other person. */
  mailbox: Fact<string>;
  /** The address in lower case. */
  sign_in_address: ColumnType<string, never, never>;
  /** Of the link in the mail (D-122). */
  token_hash: ColumnType<string | null, string | undefined, never>;
  accepted_at: OptionalTimestamp;
  created_at: CreatedAt;
}

/** An organisation that a person searched for suggestions. */
export interface SearchedOrganisationTable {
  person_id: Fact<string>;
  organisation_id: Fact<string>;
  searched_at: Timestamp;
}

/** That a search showed a person to a session, which may therefore invite them. Deleted with the session. */
export interface ShownSuggestionTable {
  session_id: Fact<string>;
  /** Of the organisation, the name and the address. */
  suggestion_hash: Fact<string>;
  shown_at: Timestamp;
}

/** Mail the platform sent or is about to send; the default transport is this mailbox itself. */
export interface MailTable {
  id: Generated<number>;
  to_address: Fact<string>;
  subject: string;
  body: string;
  /** What a mail reports that waits for more to report: an offer whose responses are bundled (D-121). */
  digest_of: ColumnType<string | null, string | undefined, never>;
  created_at: CreatedAt;
  /** When the mail transport took it. */
  sent_at: OptionalTimestamp;
  attempts: Generated<number>;
  due_at: DueAt;
}
