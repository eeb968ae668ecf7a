import type { ColumnType, Generated, JSONColumnType } from "kysely";
import type { CreatedAt, DueAt, Immutable, OptionalText, OptionalTimestamp, Timestamp } from "./column-types.ts";
import type {
  InvitationTable,
  MailTable,
  SearchedOrganisationTable,
  ShownSuggestionTable,
} from "./invitation-tables.ts";

/** A hirer or an agency. It may also be an integrator, see `EndpointTable`. */
export interface OrganisationTable {
  id: Immutable<string>;
  name: string;
  kind: "hirer" | "agency";
  /** IANA name, chosen or guessed (D-115). */
  time_zone: OptionalText;
  created_at: CreatedAt;
}

/** A key for the offers API. Only its SHA-256 hash is stored. */
export interface ApiKeyTable {
  key_hash: Immutable<string>;
  /** Identifies the key without revealing it. */
  id: ColumnType<string, string | undefined, never>;
  /** The name that a user or the seed file chose. */
  name: ColumnType<string, string | undefined, never>;
  /** The hint from `apiKeyHint`; empty for a short key. */
  hint: ColumnType<string, string | undefined, never>;
  organisation_id: Immutable<string>;
  /** The agency that uses the key to act for the organisation; null if it is the organisation's own key. */
  agency_id: Immutable<string | null>;
  /** When the key was last used, to the minute (D-119). */
  last_used_at: OptionalTimestamp;
  created_at: CreatedAt;
}

/** The result of a request with an `Idempotency-Key`, or of a page's form. Only the key's SHA-256 hash is stored. */
export interface IdempotencyKeyTable {
  organisation_id: Immutable<string>;
  key_hash: Immutable<string>;
  /** The request's hash, which distinguishes a retry from a different request with the same key. */
  fingerprint: Immutable<string>;
  /** The result as JSON. Empty only until the transaction that inserted the row sets it. */
  result: string;
  created_at: Immutable<Date>;
}

/** A portal user. Belongs to one organisation. */
export interface PersonTable {
  id: Immutable<string>;
  organisation_id: Immutable<string>;
  name: string;
  password_hash: string;
  created_at: CreatedAt;
}

/** An email address that a portal user signs in with. A user may have several. */
export interface PersonEmailAddressTable {
  email_address: Immutable<string>;
  person_id: Immutable<string>;
}

export interface WorkerTable {
  id: Immutable<string>;
  name: string;
  /** The email address that an invited worker signs in with, in lower case (D-122). */
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
  /** The token from the push service; null for a device that cannot receive pushes. */
  token: ColumnType<string | null, string | null | undefined, string | null>;
  /** When the app last registered the device. */
  created_at: ColumnType<Date, Date | string | undefined, Date | string>;
}

/** A session of a portal user or a worker. Only the token's SHA-256 hash is stored. */
export interface SessionTable {
  token_hash: Immutable<string>;
  person_id: Immutable<string | null>;
  worker_id: Immutable<string | null>;
  expires_at: Timestamp;
}

/** How many requests a limiter has counted (D-159). rate-limiter-flexible defines the columns. */
export interface RateLimitTable {
  key: Immutable<string>;
  points: number;
  /** The end of the window, in milliseconds since 1970. */
  expire: number;
}

/** An organisation's name for a place that its offers use. */
export interface PlaceTable {
  organisation_id: Immutable<string>;
  id: Immutable<string>;
  name: string;
}

export interface OfferEventValue {
  start: string;
  end: string;
}

export interface OfferTable {
  id: Immutable<string>;
  organisation_id: Immutable<string>;
  created_by_user_id: Immutable<string>;
  title: Immutable<string>;
  details: Immutable<string>;
  location_place_id: Immutable<string>;
  notify_email_address: Immutable<string | null>;
  /** The events exactly as they were sent when the offer was created. */
  events: JSONColumnType<OfferEventValue[], string, never>;
  /** When the last event ends, for `isHistoric`; null if there are no events. */
  ends_at: Immutable<Date | string | null>;
  /** When the first event starts, for sorting lists. Infinity for an offer without events, which comes last. */
  work_from: ColumnType<Date, Date | "infinity" | undefined, never>;
  created_at: CreatedAt;
  completed_at: OptionalTimestamp;
  withdrawn_at: OptionalTimestamp;
  /** The trace context that `activeTrace` returned. */
  trace: ColumnType<string | null, string | null | undefined, never>;
}

export interface RecipientTable {
  id: Generated<number>;
  offer_id: Immutable<string>;
  worker_id: Immutable<string>;
  response: ColumnType<string, string | undefined, string>;
  confirmation: ColumnType<string, string | undefined, string>;
  opened_at: OptionalTimestamp;
  responded_at: OptionalTimestamp;
  closed_at: OptionalTimestamp;
}

/** A push notification for one of a worker's devices. The worker's notifications menu shows it too (D-48). */
export interface NotificationTable {
  id: Generated<number>;
  worker_id: Immutable<string>;
  /** The device, which may have been removed since. Null if the worker had no device. Only the menu then shows the notification. */
  device_id: Immutable<string | null>;
  offer_id: Immutable<string>;
  reason: Immutable<"offer" | "successful" | "unsuccessful" | "withdrawn">;
  created_at: CreatedAt;
  /** When the push service accepted the notification; null if it is pending, has failed, was superseded or is only in the menu. */
  sent_at: OptionalTimestamp;
  attempts: Generated<number>;
  due_at: DueAt;
  /** The position in the worker's feed; null until the feed is first read after the commit. */
  position: Generated<number | null>;
}

/** An integrator's company profile, which defines where webhooks are sent. Saved only if both checks have passed. */
export interface EndpointTable {
  organisation_id: Immutable<string>;
  base_address: string;
  encrypted_secret: string;
  /** Whether the endpoint implements contact suggestions. */
  suggests_contacts: boolean;
  /** Whether the base URL has ever acknowledged a contact. If it has, a 404 to a contact means that something is broken (D-152). */
  has_acknowledged_contact: Generated<boolean>;
  /** How requests are signed. Standard Webhooks headers are sent in addition to the two documented headers, never instead of them. */
  scheme: ColumnType<EndpointScheme, EndpointScheme | undefined, EndpointScheme>;
  /** The secret before the last rotation. Set if and only if `previous_secret_until` is set. */
  previous_encrypted_secret: ColumnType<string | null, string | null | undefined, string | null>;
  previous_secret_until: OptionalTimestamp;
  /** How many attempts have failed since the last acknowledgement. */
  consecutive_failures: Generated<number>;
  failing_since: OptionalTimestamp;
  /** When an attempt last failed; null while the endpoint is healthy. A failure long after that time starts a new period of failure. */
  last_failed_at: OptionalTimestamp;
  /** How many times the breaker has opened since the last acknowledgement. Each pause is longer than the previous one. */
  breaker_open_count: Generated<number>;
  /** The end of the breaker's pause. After that, one attempt closes the breaker or opens it again. Null while the breaker is closed. */
  breaker_open_until: OptionalTimestamp;
  /** When the endpoint was disabled. Its deliveries wait until it is enabled. */
  disabled_at: OptionalTimestamp;
  disabled_because: ColumnType<DisabledBecause | null, DisabledBecause | null | undefined, DisabledBecause | null>;
  updated_at: Timestamp;
}

export type EndpointScheme = "timestampDigest" | "timestampDigestAndStandardWebhooks";

/** `gone`: the endpoint responded with 410. `failing`: the endpoint has failed for five days. */
export type DisabledBecause = "gone" | "failing";

/** `not_implemented`: the endpoint leaves this optional event out (D-152). */
export type DeliveryState = "pending" | "acknowledged" | "dead" | "not_implemented";

/** An event for an integrator's webhook. */
export interface EventTable {
  id: Immutable<string>;
  organisation_id: Immutable<string>;
  type: Immutable<EventType>;
  data: JSONColumnType<Record<string, string>, string, never>;
  created_at: CreatedAt;
  /** Increases in the order in which events are recorded, which may differ from commit order. Has gaps. */
  feed_order: Generated<number>;
  /** The position in the organisation's feed; null until the feed is first read after the commit. */
  position: Generated<number | null>;
  /** The trace context that `activeTrace` returned. */
  trace: ColumnType<string | null, string | null | undefined, never>;
}

/** The last position in an organisation's feed. */
export interface EventFeedTable {
  organisation_id: Immutable<string>;
  last_position: Generated<number>;
}

/** The last position in a worker's feed. */
export interface NotificationFeedTable {
  worker_id: Immutable<string>;
  last_position: Generated<number>;
}

export type EventType = "workerOfferResponse" | "workerAddedContact";

/** The delivery of one event to one endpoint. */
export interface DeliveryTable {
  /** Increases in the order in which deliveries are recorded. */
  sequence: Generated<number>;
  id: Immutable<string>;
  event_id: Immutable<string>;
  organisation_id: Immutable<string>;
  /** Deliveries with the same key are attempted one after another, in order. */
  order_key: Immutable<string>;
  state: ColumnType<DeliveryState, DeliveryState | undefined, DeliveryState>;
  attempts: Generated<number>;
  due_at: DueAt;
  settled_at: OptionalTimestamp;
  /** The response status of the last attempt, for the filter in the portal. */
  last_status: ColumnType<number | null, number | null | undefined, number | null>;
  last_error: OptionalText;
  /** The acknowledged delivery that this one redelivers. */
  redelivery_of: ColumnType<string | null, string | null | undefined, never>;
}

/** One HTTP request that was sent for a delivery. */
export interface AttemptTable {
  id: Generated<number>;
  delivery_id: Immutable<string>;
  organisation_id: Immutable<string>;
  method: Immutable<string>;
  /** The path with its parameters filled in, without the base URL. */
  path: Immutable<string>;
  started_at: Immutable<Date>;
  duration_ms: Immutable<number>;
  /** The response status; null if there was no response. */
  status: Immutable<number | null>;
  /** A stable code such as `timeout` or `connection_refused`; null if the attempt was acknowledged. */
  error: Immutable<string | null>;
  /** The time from the event to the acknowledgement, in milliseconds; null if the attempt was not acknowledged. */
  lag_ms: Immutable<number | null>;
  content_type: ColumnType<string | null, string | null | undefined, string | null>;
  /** The start of the response body, for the portal. Retention clears it. */
  response: ColumnType<string | null, string | null | undefined, string | null>;
  /** An `AttemptExchange` as JSON, for the portal. Retention clears it. */
  exchange: ColumnType<string | null, string | null | undefined, string | null>;
}

/** A background task that redelivers the deliveries that a user selected (D-149). */
export interface RedeliveryTable {
  id: Immutable<string>;
  organisation_id: Immutable<string>;
  /** The `DeliveryFilter` that selects the deliveries. */
  filter: JSONColumnType<object, string, never>;
  /** How many deliveries matched when the task started. */
  total: Immutable<number>;
  redelivered: ColumnType<number, never, number>;
  /** How many deliveries were skipped, because a later response superseded them or they had already been redelivered. */
  skipped: ColumnType<number, never, number>;
  /** The task has processed all deliveries up to this sequence. */
  after_sequence: ColumnType<number, never, number>;
  /** Deliveries with a higher sequence do not belong to this task. */
  last_sequence: Immutable<number>;
  created_at: CreatedAt;
  continued_at: ColumnType<Date, never, Date>;
  finished_at: OptionalTimestamp;
}

/** A process that attempts rows until its lease ends. */
export interface OutboxProcessTable {
  id: Immutable<string>;
  lease_until: Timestamp;
}

/** A process's lease on one row of a queue. */
export interface OutboxLeaseTable {
  /** The fencing token. Unique and increasing. */
  token: Generated<number>;
  queue: Immutable<QueueName>;
  row_id: Immutable<number>;
  lane: Immutable<string>;
  process_id: Immutable<string>;
}

/** When to poll a lane of a queue. */
export interface OutboxWakeupTable {
  queue: Immutable<QueueName>;
  lane: Immutable<string>;
  at: Timestamp;
}

export type QueueName = "webhooks" | "pushes" | "mails";

/** A single row with a string that is encrypted with the store's key. The store uses it to check the key. */
export interface EncryptionKeyCheckTable {
  only_one: Generated<boolean>;
  encrypted: Immutable<string>;
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
  rate_limits: RateLimitTable;
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
