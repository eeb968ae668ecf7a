import type { ColumnType, Generated, JSONColumnType } from "kysely";
import type { CreatedAt, DueAt, Fact, OptionalText, OptionalTimestamp, Timestamp } from "./column-types.ts";
import type {
  InvitationTable,
  MailTable,
  SearchedOrganisationTable,
  ShownSuggestionTable,
} from "./invitation-tables.ts";

/** A hirer or an agency. It may also integrate: see `EndpointTable`. */
export interface OrganisationTable {
  id: Fact<string>;
  name: string;
  kind: "hirer" | "agency";
  /** IANA name, chosen or guessed (D-115). */
  time_zone: OptionalText;
  created_at: CreatedAt;
}

/** An offers-API key. Only its SHA-256 is kept. */
export interface ApiKeyTable {
  key_hash: Fact<string>;
  /** Identifies the key without revealing it. */
  id: ColumnType<string, string | undefined, never>;
  /** Chosen by a person, or by the seed file. */
  name: ColumnType<string, string | undefined, never>;
  /** Its prefix and last four characters; empty for a key that was created before they were kept. */
  hint: ColumnType<string, string | undefined, never>;
  organisation_id: Fact<string>;
  /** The agency that uses it to act for the organisation; null when it is the organisation's own. */
  agency_id: Fact<string | null>;
  /** Accurate to the minute (D-119). */
  last_used_at: OptionalTimestamp;
  created_at: CreatedAt;
}

/** The result of a request with an `Idempotency-Key`, or of a page's form. Only the key's SHA-256 is kept. */
export interface IdempotencyKeyTable {
  organisation_id: Fact<string>;
  key_hash: Fact<string>;
  /** The hash of the request, which distinguishes a retry from another request with the same key. */
  fingerprint: Fact<string>;
  /** The result as JSON; empty only within the transaction that produces it. */
  result: string;
  created_at: Fact<Date>;
}

/** A person who signs in to the portal, for one organisation. */
export interface PersonTable {
  id: Fact<string>;
  organisation_id: Fact<string>;
  name: string;
  password_hash: string;
  created_at: CreatedAt;
}

/** A person's portal email addresses; a person may have several. They sign in with any of them. */
export interface PersonEmailAddressTable {
  email_address: Fact<string>;
  person_id: Fact<string>;
}

export interface WorkerTable {
  id: Fact<string>;
  name: string;
  /** The address of an invited worker, who signs in with it; in lower case (D-122). */
  email_address: OptionalText;
  password_hash: string;
  /** IANA name, chosen or guessed (D-115). */
  time_zone: OptionalText;
  created_at: CreatedAt;
}

/** A device that receives a worker's push notifications. */
export interface DeviceTable {
  id: string;
  worker_id: string;
  platform: "ios" | "android";
  /** The push service's token; null for a device without push. */
  token: ColumnType<string | null, string | null | undefined, string | null>;
  /** When the app last registered it. */
  created_at: ColumnType<Date, Date | string | undefined, Date | string>;
}

/** Someone signed in: a person in the portal or a worker in the app. Only the token's SHA-256 is kept. */
export interface SessionTable {
  token_hash: Fact<string>;
  person_id: Fact<string | null>;
  worker_id: Fact<string | null>;
  expires_at: Timestamp;
}

/** An organisation's name for a place of its offers. */
export interface PlaceTable {
  organisation_id: Fact<string>;
  id: Fact<string>;
  name: string;
}

export interface OfferEventValue {
  start: string;
  end: string;
}

export interface OfferTable {
  id: Fact<string>;
  organisation_id: Fact<string>;
  created_by_user_id: Fact<string>;
  title: Fact<string>;
  details: Fact<string>;
  location_place_id: Fact<string>;
  notify_email_address: Fact<string | null>;
  /** Exactly as in the creation body. */
  events: JSONColumnType<OfferEventValue[], string, never>;
  /** The end of the last event, for `isHistoric`; null without events. */
  ends_at: Fact<Date | string | null>;
  /** The start of the first event. Lists are sorted by it. It is infinity for an offer without events, which comes last. */
  work_from: ColumnType<Date, Date | "infinity" | undefined, never>;
  created_at: CreatedAt;
  completed_at: OptionalTimestamp;
  withdrawn_at: OptionalTimestamp;
  /** The trace context from `activeTrace`. */
  trace: ColumnType<string | null, string | null | undefined, never>;
}

export interface RecipientTable {
  id: Generated<number>;
  offer_id: Fact<string>;
  worker_id: Fact<string>;
  response: ColumnType<string, string | undefined, string>;
  confirmation: ColumnType<string, string | undefined, string>;
  opened_at: OptionalTimestamp;
  responded_at: OptionalTimestamp;
  closed_at: OptionalTimestamp;
}

/** A push notification for one device of one worker; also the worker's notifications menu (D-48). */
export interface NotificationTable {
  id: Generated<number>;
  worker_id: Fact<string>;
  /** Null when the worker had no device, so the notification is only on the menu. The device may have been removed since. */
  device_id: Fact<string | null>;
  offer_id: Fact<string>;
  reason: Fact<"offer" | "successful" | "unsuccessful" | "withdrawn">;
  created_at: CreatedAt;
  /** When the push transport accepted it; null while it waits, and when it was given up or superseded. */
  sent_at: OptionalTimestamp;
  attempts: Generated<number>;
  due_at: DueAt;
  /** The position in the worker's feed; null until the feed is read after the commit. */
  position: Generated<number | null>;
}

/** An organisation's company profile as an integrator: where its webhooks go. Saved only after both tests passed. */
export interface EndpointTable {
  organisation_id: Fact<string>;
  base_address: string;
  encrypted_secret: string;
  /** Whether it implements contact suggestions. */
  suggests_contacts: boolean;
  /** How requests to it are signed; Standard Webhooks headers are added to the documented two, and never replace them. */
  scheme: ColumnType<EndpointScheme, EndpointScheme | undefined, EndpointScheme>;
  /** The secret before the last rotation, and when it expires; both or neither. */
  previous_encrypted_secret: ColumnType<string | null, string | null | undefined, string | null>;
  previous_secret_until: OptionalTimestamp;
  /** Attempts that failed since the last acknowledgement. */
  consecutive_failures: Generated<number>;
  failing_since: OptionalTimestamp;
  /** Null while it is healthy. After a long time without attempts a failure starts a new period. */
  last_failed_at: OptionalTimestamp;
  /** How often the breaker has opened since the last acknowledgement: each pause is longer. */
  breaker_open_count: Generated<number>;
  /** Nothing is attempted before this time; then one attempt closes or opens the breaker. Null while closed. */
  breaker_open_until: OptionalTimestamp;
  /** From then on, its deliveries wait until it is enabled. */
  disabled_at: OptionalTimestamp;
  disabled_because: ColumnType<DisabledBecause | null, DisabledBecause | null | undefined, DisabledBecause | null>;
  updated_at: Timestamp;
}

export type EndpointScheme = "timestampDigest" | "timestampDigestAndStandardWebhooks";

/** It responded with 410, or has failed for five days. */
export type DisabledBecause = "gone" | "failing";

export type DeliveryState = "pending" | "acknowledged" | "dead";

/** An event for an integrator's webhook. Immutable. */
export interface EventTable {
  id: Fact<string>;
  organisation_id: Fact<string>;
  type: Fact<EventType>;
  data: JSONColumnType<Record<string, string>, string, never>;
  created_at: CreatedAt;
  /** Ascending in the order of recording, which may differ from the order of commits, and with gaps. */
  feed_order: Generated<number>;
  /** The position in the feed; null until the feed is read after the commit. */
  position: Generated<number | null>;
  /** The trace context from `activeTrace`. */
  trace: ColumnType<string | null, string | null | undefined, never>;
}

/** The last position of an organisation's feed. */
export interface EventFeedTable {
  organisation_id: Fact<string>;
  last_position: Generated<number>;
}

/** The last position of a worker's feed. */
export interface NotificationFeedTable {
  worker_id: Fact<string>;
  last_position: Generated<number>;
}

export type EventType = "workerOfferResponse" | "workerAddedContact";

/** One event for one endpoint. */
export interface DeliveryTable {
  /** Ascending in the order the events happened. */
  sequence: Generated<number>;
  id: Fact<string>;
  event_id: Fact<string>;
  organisation_id: Fact<string>;
  /** Deliveries with the same key are attempted in order, one after another. */
  order_key: Fact<string>;
  state: ColumnType<DeliveryState, DeliveryState | undefined, DeliveryState>;
  attempts: Generated<number>;
  due_at: DueAt;
  settled_at: OptionalTimestamp;
  /** The status of the last attempt, for the portal's filter. */
  last_status: ColumnType<number | null, number | null | undefined, number | null>;
  last_error: OptionalText;
  /** The acknowledged delivery that this one repeats. */
  redelivery_of: ColumnType<string | null, string | null | undefined, never>;
}

/** One HTTP request for a delivery. */
export interface AttemptTable {
  id: Generated<number>;
  delivery_id: Fact<string>;
  organisation_id: Fact<string>;
  method: Fact<string>;
  /** The path with its parameters filled in, without the base address. */
  path: Fact<string>;
  started_at: Fact<Date>;
  duration_ms: Fact<number>;
  /** Null when no response came. */
  status: Fact<number | null>;
  /** A stable code such as `timeout` or `connection_refused`; null when the response was an acknowledgement. */
  error: Fact<string | null>;
  /** The time from the event to the acknowledgement; null without one. */
  lag_ms: Fact<number | null>;
  content_type: ColumnType<string | null, string | null | undefined, string | null>;
  /** The start of the response's body as a string, for the portal; emptied by retention. */
  response: ColumnType<string | null, string | null | undefined, string | null>;
  /** An `AttemptExchange` as JSON, for the portal; emptied by retention. */
  exchange: ColumnType<string | null, string | null | undefined, string | null>;
}

/** Deliveries that a person has asked to redeliver, as a task in the background (D-149). */
export interface RedeliveryTable {
  id: Fact<string>;
  organisation_id: Fact<string>;
  /** A `DeliveryFilter`. */
  filter: JSONColumnType<object, string, never>;
  /** How many matched when the task started. */
  total: Fact<number>;
  redelivered: ColumnType<number, never, number>;
  /** The number skipped because of a later response, or because they were redelivered in the meantime. */
  skipped: ColumnType<number, never, number>;
  /** Deliveries up to this sequence are redelivered. */
  after_sequence: ColumnType<number, never, number>;
  /** Later deliveries do not belong to this task. */
  last_sequence: Fact<number>;
  created_at: CreatedAt;
  continued_at: ColumnType<Date, never, Date>;
  finished_at: OptionalTimestamp;
}

/** A process that works on rows, until its lease ends. */
export interface OutboxProcessTable {
  id: Fact<string>;
  lease_until: Timestamp;
}

/** A row of a queue that a process works on. */
export interface OutboxLeaseTable {
  /** Fencing token. Unique, and ascending. */
  token: Generated<number>;
  queue: Fact<QueueName>;
  row_id: Fact<number>;
  lane: Fact<string>;
  process_id: Fact<string>;
}

/** When to look at a lane of a queue. */
export interface OutboxWakeupTable {
  queue: Fact<QueueName>;
  lane: Fact<string>;
  at: Timestamp;
}

export type QueueName = "webhooks" | "pushes" | "mails";

/** One row: a string encrypted with the store's encryption key. */
export interface EncryptionKeyCheckTable {
  only_one: Generated<boolean>;
  encrypted: Fact<string>;
}

export interface Tables {
  event_feeds: EventFeedTable;
  notification_feeds: NotificationFeedTable;
  organisations: OrganisationTable;
  api_keys: ApiKeyTable;
  idempotency_keys: IdempotencyKeyTable;
  people: PersonTable;
  person_email_addresses: PersonEmailAddressTable;
  workers: WorkerTable;
  devices: DeviceTable;
  sessions: SessionTable;
  places: PlaceTable;
  offers: OfferTable;
  recipients: RecipientTable;
  notifications: NotificationTable;
  endpoints: EndpointTable;
  events: EventTable;
  deliveries: DeliveryTable;
  redeliveries: RedeliveryTable;
  attempts: AttemptTable;
  invitations: InvitationTable;
  searched_organisations: SearchedOrganisationTable;
  shown_suggestions: ShownSuggestionTable;
  mails: MailTable;
  outbox_processes: OutboxProcessTable;
  outbox_leases: OutboxLeaseTable;
  outbox_wakeups: OutboxWakeupTable;
  encryption_key_check: EncryptionKeyCheckTable;
}
