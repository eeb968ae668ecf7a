import type { ColumnType, Generated, JSONColumnType } from "kysely";
import type { CreatedAt, DueAt, Fact, OptionalText, OptionalTimestamp, Timestamp } from "./column-types.ts";
import type {
  InvitationTable,
  MailTable,
  SearchedOrganisationTable,
  ShownSuggestionTable,
} from "./invitation-tables.ts";

/** A hirer or an agency. It may also be an integrator: see `EndpointTable`. */
export interface OrganisationTable {
  id: Fact<string>;
  name: string;
  kind: "hirer" | "agency";
  /** IANA name, chosen or guessed (D-115). */
  time_zone: OptionalText;
  created_at: CreatedAt;
}

/** A key for the offers API. Only its SHA-256 hash is stored. */
export interface ApiKeyTable {
  key_hash: Fact<string>;
  /** Identifies the key without revealing it. */
  id: ColumnType<string, string | undefined, never>;
  /** The name that a user or the seed file chose. */
  name: ColumnType<string, string | undefined, never>;
  /** The key's prefix and last four characters; empty for a key that was created before hints were stored. */
  hint: ColumnType<string, string | undefined, never>;
  organisation_id: Fact<string>;
  /** The agency that uses the key to act for the organisation; null if it is the organisation's own key. */
  agency_id: Fact<string | null>;
  /** When the key was last used, accurate to the minute (D-119). */
  last_used_at: OptionalTimestamp;
  created_at: CreatedAt;
}

/** The result of a request with an `Idempotency-Key`, or of a page's form. Only the key's SHA-256 hash is stored. */
export interface IdempotencyKeyTable {
  organisation_id: Fact<string>;
  key_hash: Fact<string>;
  /** The request's hash, which distinguishes a retry from another request with the same key. */
  fingerprint: Fact<string>;
  /** The result as JSON; empty only within the transaction that produces it. */
  result: string;
  created_at: Fact<Date>;
}

/** A portal user, who belongs to one organisation. */
export interface PersonTable {
  id: Fact<string>;
  organisation_id: Fact<string>;
  name: string;
  password_hash: string;
  created_at: CreatedAt;
}

/** An email address that a portal user signs in with. A user may have several. */
export interface PersonEmailAddressTable {
  email_address: Fact<string>;
  person_id: Fact<string>;
}

export interface WorkerTable {
  id: Fact<string>;
  name: string;
  /** The email address, in lower case, that an invited worker signs in with (D-122). */
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
  /** When the app last registered the device. */
  created_at: ColumnType<Date, Date | string | undefined, Date | string>;
}

/** A session of a portal user or a worker. Only the token's SHA-256 hash is stored. */
export interface SessionTable {
  token_hash: Fact<string>;
  person_id: Fact<string | null>;
  worker_id: Fact<string | null>;
  expires_at: Timestamp;
}

/** An organisation's name for a place that its offers use. */
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
  /** The events exactly as they were sent when the offer was created. */
  events: JSONColumnType<OfferEventValue[], string, never>;
  /** When the last event ends, for `isHistoric`; null without events. */
  ends_at: Fact<Date | string | null>;
  /** When the first event starts, which lists are sorted by. Infinity for an offer without events, which comes last. */
  work_from: ColumnType<Date, Date | "infinity" | undefined, never>;
  created_at: CreatedAt;
  completed_at: OptionalTimestamp;
  withdrawn_at: OptionalTimestamp;
  /** The trace context that `activeTrace` returned. */
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

/** A push notification for one of a worker's devices. The worker's notifications menu shows it too (D-48). */
export interface NotificationTable {
  id: Generated<number>;
  worker_id: Fact<string>;
  /** Null if the worker had no device, so that the notification is only on the menu. The device may have been removed since. */
  device_id: Fact<string | null>;
  offer_id: Fact<string>;
  reason: Fact<"offer" | "successful" | "unsuccessful" | "withdrawn">;
  created_at: CreatedAt;
  /** When the push transport accepted it; null while it waits, or if it failed or was superseded. */
  sent_at: OptionalTimestamp;
  attempts: Generated<number>;
  due_at: DueAt;
  /** The position in the worker's feed; null until the feed is first read after the commit. */
  position: Generated<number | null>;
}

/** An organisation's company profile as an integrator, which says where webhooks are sent. Saved only after both checks have passed. */
export interface EndpointTable {
  organisation_id: Fact<string>;
  base_address: string;
  encrypted_secret: string;
  /** Whether the endpoint implements contact suggestions. */
  suggests_contacts: boolean;
  /** How requests are signed. Standard Webhooks headers are sent in addition to the documented two, and never replace them. */
  scheme: ColumnType<EndpointScheme, EndpointScheme | undefined, EndpointScheme>;
  /** The secret before the last rotation. Either both this and its expiry are set, or neither. */
  previous_encrypted_secret: ColumnType<string | null, string | null | undefined, string | null>;
  previous_secret_until: OptionalTimestamp;
  /** How many attempts have failed since the last acknowledgement. */
  consecutive_failures: Generated<number>;
  failing_since: OptionalTimestamp;
  /** Null while the endpoint is healthy. After a long time without attempts, a failure starts a new period. */
  last_failed_at: OptionalTimestamp;
  /** How often the breaker has opened since the last acknowledgement, since each pause is longer than the previous one. */
  breaker_open_count: Generated<number>;
  /** Nothing is attempted before this time. Then one attempt closes the breaker or opens it again. Null while it is closed. */
  breaker_open_until: OptionalTimestamp;
  /** When the endpoint was disabled, so that its deliveries wait until it is enabled. */
  disabled_at: OptionalTimestamp;
  disabled_because: ColumnType<DisabledBecause | null, DisabledBecause | null | undefined, DisabledBecause | null>;
  updated_at: Timestamp;
}

export type EndpointScheme = "timestampDigest" | "timestampDigestAndStandardWebhooks";

/** `gone`: the endpoint responded with 410. `failing`: it has failed for five days. */
export type DisabledBecause = "gone" | "failing";

export type DeliveryState = "pending" | "acknowledged" | "dead";

/** An event for an integrator's webhook. Never changes. */
export interface EventTable {
  id: Fact<string>;
  organisation_id: Fact<string>;
  type: Fact<EventType>;
  data: JSONColumnType<Record<string, string>, string, never>;
  created_at: CreatedAt;
  /** Ascends in the order in which events are recorded, which may differ from commit order. Has gaps. */
  feed_order: Generated<number>;
  /** The position in the organisation's feed; null until the feed is first read after the commit. */
  position: Generated<number | null>;
  /** The trace context that `activeTrace` returned. */
  trace: ColumnType<string | null, string | null | undefined, never>;
}

/** The last position in an organisation's feed. */
export interface EventFeedTable {
  organisation_id: Fact<string>;
  last_position: Generated<number>;
}

/** The last position in a worker's feed. */
export interface NotificationFeedTable {
  worker_id: Fact<string>;
  last_position: Generated<number>;
}

export type EventType = "workerOfferResponse" | "workerAddedContact";

/** One event that is sent to one endpoint. */
export interface DeliveryTable {
  /** Ascends in the order in which the events happened. */
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
  /** The last attempt's status, for the portal's filter. */
  last_status: ColumnType<number | null, number | null | undefined, number | null>;
  last_error: OptionalText;
  /** The acknowledged delivery that this one redelivers. */
  redelivery_of: ColumnType<string | null, string | null | undefined, never>;
}

/** One HTTP request that was made for a delivery. */
export interface AttemptTable {
  id: Generated<number>;
  delivery_id: Fact<string>;
  organisation_id: Fact<string>;
  method: Fact<string>;
  /** The path with its parameters filled in, without the base URL. */
  path: Fact<string>;
  started_at: Fact<Date>;
  duration_ms: Fact<number>;
  /** The response's status; null if there was no response. */
  status: Fact<number | null>;
  /** A stable code such as `timeout` or `connection_refused`; null if the response was an acknowledgement. */
  error: Fact<string | null>;
  /** The time from the event to the acknowledgement, in milliseconds; null if it was not acknowledged. */
  lag_ms: Fact<number | null>;
  content_type: ColumnType<string | null, string | null | undefined, string | null>;
  /** The start of the response's body, for the portal. Retention clears it. */
  response: ColumnType<string | null, string | null | undefined, string | null>;
  /** An `AttemptExchange` as JSON, for the portal. Retention clears it. */
  exchange: ColumnType<string | null, string | null | undefined, string | null>;
}

/** A background task that redelivers the deliveries that a user selected (D-149). */
export interface RedeliveryTable {
  id: Fact<string>;
  organisation_id: Fact<string>;
  /** The `DeliveryFilter` that selects the deliveries. */
  filter: JSONColumnType<object, string, never>;
  /** How many deliveries matched when the task started. */
  total: Fact<number>;
  redelivered: ColumnType<number, never, number>;
  /** How many deliveries were skipped because a later response superseded them, or they were redelivered in the meantime. */
  skipped: ColumnType<number, never, number>;
  /** The task has processed deliveries up to this sequence. */
  after_sequence: ColumnType<number, never, number>;
  /** Deliveries with a higher sequence do not belong to this task. */
  last_sequence: Fact<number>;
  created_at: CreatedAt;
  continued_at: ColumnType<Date, never, Date>;
  finished_at: OptionalTimestamp;
}

/** A process that works on rows until its lease ends. */
export interface OutboxProcessTable {
  id: Fact<string>;
  lease_until: Timestamp;
}

/** A row of a queue that a process is working on. */
export interface OutboxLeaseTable {
  /** The fencing token, which is unique and ascends. */
  token: Generated<number>;
  queue: Fact<QueueName>;
  row_id: Fact<number>;
  lane: Fact<string>;
  process_id: Fact<string>;
}

/** When to poll a lane of a queue. */
export interface OutboxWakeupTable {
  queue: Fact<QueueName>;
  lane: Fact<string>;
  at: Timestamp;
}

export type QueueName = "webhooks" | "pushes" | "mails";

/** A single row with a string that is encrypted with the store's key, to check the key against. */
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
