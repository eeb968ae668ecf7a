import type { ColumnType, Generated } from "kysely";
import type { CreatedAt, DueAt, Fact, OptionalTimestamp, Timestamp } from "./column-types.ts";

/** A suggested person who was invited. */
export interface InvitationTable {
  id: Fact<string>;
  organisation_id: Fact<string>;
  invited_by: Fact<string>;
  suggested_by: Fact<string>;
  name: Fact<string>;
  email_address: Fact<string>;
  /** The normalised email address, which identifies a person however their address is spelled. */
  mailbox: Fact<string>;
  /** The email address in lower case. */
  sign_in_address: ColumnType<string, never, never>;
  /** The hash of the token in the emailed link (D-122). */
  token_hash: ColumnType<string | null, string | undefined, never>;
  accepted_at: OptionalTimestamp;
  created_at: CreatedAt;
}

/** An organisation that a user has searched for suggestions. */
export interface SearchedOrganisationTable {
  person_id: Fact<string>;
  organisation_id: Fact<string>;
  searched_at: Timestamp;
}

/** A person that a search showed in a session, which may then invite them. Deleted with the session. */
export interface ShownSuggestionTable {
  session_id: Fact<string>;
  /** A hash of the organisation, the name and the email address. */
  suggestion_hash: Fact<string>;
  shown_at: Timestamp;
}

/** An email that the platform has sent or will send. With the default transport, this table is the only mailbox. */
export interface MailTable {
  id: Generated<number>;
  to_address: Fact<string>;
  subject: string;
  body: string;
  /** What a waiting digest is about: the id of the offer whose responses it combines (D-121). */
  digest_of: ColumnType<string | null, string | undefined, never>;
  created_at: CreatedAt;
  /** When the transport accepted it. */
  sent_at: OptionalTimestamp;
  attempts: Generated<number>;
  due_at: DueAt;
}
