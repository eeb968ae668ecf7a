/**
 * A worker added a contact at your organisation in order to share availability.
 *
 * @example
 * ```ts
 * import type { WorkerAddedContact } from "@offers/webhook-kit";
 *
 * export const remember = ({ workerId }: WorkerAddedContact): void => console.log("new contact:", workerId);
 * ```
 */
export interface WorkerAddedContact {
  /** The worker's id, decoded from the path. */
  workerId: string;
}

/**
 * A hirer's search for people to invite.
 *
 * @example
 * ```ts
 * import type { ContactSuggestionRequest } from "@offers/webhook-kit";
 *
 * export const wanted = ({ filter }: ContactSuggestionRequest): string => filter?.trim().toLowerCase() ?? "";
 * ```
 */
export interface ContactSuggestionRequest {
  /** The words that the user entered to narrow the results. */
  filter?: string;
  /** The email addresses of the signed-in user who is searching. */
  userEmailAddresses: string[];
}

/**
 * One person that the hirer could invite. Additional fields are passed on unchanged.
 *
 * @example
 * ```ts
 * import type { ContactSuggestion } from "@offers/webhook-kit";
 *
 * export const dana: ContactSuggestion = {
 *   name: "Dana Kim",
 *   emailAddress: "dana.kim@example.com",
 *   ratings: [{ rating: 5, ratingProvider: "Harbour Kitchen", lastWorked: new Date("2025-11-30T17:00:00Z") }],
 * };
 * ```
 */
export interface ContactSuggestion {
  /** The person's name. */
  name: string;
  /** The email address that invitations are sent to: one `@`, no white space, at most 254 characters. */
  emailAddress: string;
  /** The full http or https URL of a picture, which is fetched without a signature. */
  profileImageUrl?: string;
  /** Ratings of the person's work. */
  ratings: Rating[];
}

/** One rating of a contact's work by your organisation. @inline */
export interface Rating {
  /** An integer from 1 (worst) to 5 (best). */
  rating: number;
  /** Who gave the rating. */
  ratingProvider: string;
  /**
   * When the person last worked at the rating provider. A date-time needs a time zone and is sent in UTC; a date alone is sent as midnight
   * UTC.
   */
  lastWorked: Date | string;
}

/**
 * A worker responded to an offer. The response may change later. Read it with a `switch` that has a default, because the service may send
 * responses that this version does not recognise.
 *
 * @example
 * ```ts
 * import type { WorkerOfferResponse } from "@offers/webhook-kit";
 *
 * export function hasApplied({ response }: WorkerOfferResponse): boolean | undefined {
 *   switch (response) {
 *     case "accepted":
 *       return true;
 *     case "rejected":
 *       return false;
 *     default:
 *       return undefined; // an unknown response: read the offer
 *   }
 * }
 * ```
 */
export interface WorkerOfferResponse {
  /** The offer's id. */
  offerId: string;
  /** The id of the worker who responded. */
  workerId: string;
  /** If it is `accepted`, the recipient in the offer shows `applied`. Any other value is passed on unchanged. */
  response: "accepted" | "rejected" | (string & {});
}

/**
 * An assigned worker deleted one of an offer's time slots from their timeline. The live service sends this additional event.
 *
 * @example
 * ```ts
 * import type { OfferEventDeleted } from "@offers/webhook-kit";
 *
 * export const slotOf = ({ eventStart }: OfferEventDeleted): Date => new Date(eventStart);
 * ```
 */
export interface OfferEventDeleted {
  /** The offer's id. */
  offerId: string;
  /** The id of the worker who deleted the slot. */
  workerId: string;
  /** When the deleted slot starts: an ISO 8601 date-time. */
  eventStart: string;
}

/**
 * A worker's timeline changed. The live service sends this additional event.
 *
 * @example
 * ```ts
 * import type { TimelineChanged } from "@offers/webhook-kit";
 *
 * export const periodOf = ({ periodStart, periodEnd }: TimelineChanged): string => `${periodStart}/${periodEnd}`;
 * ```
 */
export interface TimelineChanged {
  /** The worker's id. */
  workerId: string;
  /** The id of the offer that changed the timeline, if any. */
  offerId?: string;
  /** The start of the changed period: an ISO 8601 date-time, like all times in this event. */
  periodStart: string;
  /** The end of the changed period. */
  periodEnd: string;
  /** When the change was completed. */
  completedAt: string;
  /** The service does not document this number. */
  maxAvailableNow?: number;
  /** When `maxAvailableNow` was created. */
  maxAvailableNowCreated?: string;
}

/**
 * A position in a trace, in the format of [W3C Trace Context](https://www.w3.org/TR/trace-context/).
 *
 * @example
 * ```ts
 * import type { TraceContext } from "@offers/webhook-kit";
 *
 * export const traceIdOf = ({ traceparent }: TraceContext): string | undefined => traceparent.split("-")[1];
 * ```
 */
export interface TraceContext {
  /** The trace and the span, in the format of the `traceparent` header. */
  readonly traceparent: string;
  /** Vendor data, in the format of the `tracestate` header. */
  readonly tracestate?: string;
}

/**
 * One event, with all the data that another process needs to handle it. It contains only JSON values.
 *
 * @inline
 */
interface EventOfType<Type extends string, Data> {
  /** The event's name. */
  readonly type: Type;
  /** The validated payload. */
  readonly data: Data;
  /** When the request was verified: an ISO 8601 date-time in UTC, by the verifying process's clock. */
  readonly receivedAt: string;
  /** The `source` in a handler's context; absent for a webhook. */
  readonly source?: "reconciled" | "feed";
  /** The `deduplicationKey` in a handler's context; absent if the scheme signs no id. */
  readonly deduplicationKey?: string;
  /** The `unverifiedDeliveryId` in a handler's context. Use it only for logs. */
  readonly unverifiedDeliveryId?: string;
  /** The `trace` in a handler's context, which `traceEvent` from `/opentelemetry` continues. */
  readonly trace?: TraceContext;
}

/**
 * Every event, as a union that narrows on `type`. You receive it from `onEvent` and `parseWebhook`, and can send it to a worker through a
 * queue. After `JSON.parse`, validate it with `parseWebhookEvent`.
 *
 * @example
 * ```ts
 * import type { WebhookEvent } from "@offers/webhook-kit";
 *
 * export function describe(event: WebhookEvent): string {
 *   switch (event.type) {
 *     case "WorkerOfferResponse":
 *       return `${event.data.workerId} responded ${event.data.response} to ${event.data.offerId}`;
 *     case "OfferEventDeleted":
 *       return `${event.data.workerId} deleted ${event.data.eventStart} from ${event.data.offerId}`;
 *     case "WorkerAddedContact":
 *     case "TimelineChanged":
 *       return `${event.type} for ${event.data.workerId}`;
 *   }
 * }
 * ```
 */
export type WebhookEvent =
  | EventOfType<"WorkerAddedContact", WorkerAddedContact>
  | EventOfType<"WorkerOfferResponse", WorkerOfferResponse>
  | EventOfType<"OfferEventDeleted", OfferEventDeleted>
  | EventOfType<"TimelineChanged", TimelineChanged>;
