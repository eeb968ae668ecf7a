import type { ColumnType, Generated } from "kysely";
import type { CreatedAt, DueAt, Fact, OptionalTimestamp, Timestamp } from "./column-types.ts";

/** A suggested person that a hirer selected. */
export interface InvitationTable {
  id: Fact<string>;
  organisation_id: Fact<string>;
  invited_by: Fact<string>;
  suggested_by: Fact<string>;
  name: Fact<string>;
  email_address: Fact<string>;
  /** The normalised address: another spelling is still the same person. */
  mailbox: Fact<string>;
  /** The address in lower case. */
  sign_in_address: ColumnType<string, never, never>;
  /** The hash of the token in the mail's link (D-122). */
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

/** A person that a search showed in a session, which may therefore invite them. Deleted with the session. */
export interface ShownSuggestionTable {
  session_id: Fact<string>;
  /** A hash of the organisation, the name and the address. */
  suggestion_hash: Fact<string>;
  shown_at: Timestamp;
}

/** Mail the platform sent or is about to send; the default transport is this mailbox itself. */
export interface MailTable {
  id: Generated<number>;
  to_address: Fact<string>;
  subject: string;
  body: string;
  /** The subject of a waiting digest: an offer whose responses are combined (D-121). */
  digest_of: ColumnType<string | null, string | undefined, never>;
  created_at: CreatedAt;
  /** When the mail transport accepted it. */
  sent_at: OptionalTimestamp;
  attempts: Generated<number>;
  due_at: DueAt;
}
