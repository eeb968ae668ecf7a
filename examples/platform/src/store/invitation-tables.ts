import type { ColumnType, Generated } from "kysely";
import type { CreatedAt, DueAt, Immutable, OptionalTimestamp, Timestamp } from "./column-types.ts";

/** A suggested person who was invited. */
export interface InvitationTable {
  id: Immutable<string>;
  organisation_id: Immutable<string>;
  invited_by: Immutable<string>;
  suggested_by: Immutable<string>;
  name: Immutable<string>;
  email_address: Immutable<string>;
  /** The normalised email address, which identifies a person regardless of how their address is written. */
  mailbox: Immutable<string>;
  /** The email address as `toSignInAddress` returns it. */
  sign_in_address: ColumnType<string, never, never>;
  /** The hash of the token in the emailed link (D-122). */
  token_hash: ColumnType<string | null, string | undefined, never>;
  accepted_at: OptionalTimestamp;
  created_at: CreatedAt;
}

/** An organisation that a user has searched for suggestions. */
export interface SearchedOrganisationTable {
  person_id: Immutable<string>;
  organisation_id: Immutable<string>;
  searched_at: Timestamp;
}

/** A person shown in the results of a search. Only the session that searched may invite them. Deleted with the session. */
export interface ShownSuggestionTable {
  session_id: Immutable<string>;
  /** A hash of the organisation, the name and the email address. */
  suggestion_hash: Immutable<string>;
  shown_at: Timestamp;
}

/** An email that the platform has sent or will send. With the default transport, emails stay in this table. */
export interface MailTable {
  id: Generated<number>;
  to_address: Immutable<string>;
  subject: string;
  body: string;
  /** The id of the offer, if the email is a digest of the responses to an offer (D-121). */
  digest_of: ColumnType<string | null, string | undefined, never>;
  created_at: CreatedAt;
  /** When the transport accepted the email. */
  sent_at: OptionalTimestamp;
  attempts: Generated<number>;
  due_at: DueAt;
}
