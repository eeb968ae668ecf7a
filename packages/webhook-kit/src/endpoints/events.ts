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
  /** Opaque, decoded from the path. */
  workerId: string;
}

/**
 * A hirer searches for people to invite.
 *
 * @example
 * ```ts
 * import type { ContactSuggestionRequest } from "@offers/webhook-kit";
 *
 * export const wanted = ({ filter }: ContactSuggestionRequest): string => filter?.trim().toLowerCase() ?? "";
 * ```
 */
export interface ContactSuggestionRequest {
  /** Search text the user typed to narrow the results. */
  filter?: string;
  /** The signed-in user's portal addresses: the basis of the search. */
  userEmailAddresses: string[];
}

/**
 * One person whom the hirer could invite. Further fields are passed on as they are (D-35).
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
  name: string;
  /** Used to invite the contact. One `@`, no white space, at most 254 characters (D-31). */
  emailAddress: string;
  /** Full http or https URL, fetched without a signature (D-23). */
  profileImageUrl?: string;
  ratings: Rating[];
}

/** One rating of a contact's work by your organisation. @inline */
export interface Rating {
  /** Whole number, 1 (worst) to 5 (best). */
  rating: number;
  ratingProvider: string;
  /** A Date, or a date-time with its zone, which is sent in UTC; a date without a time is sent as midnight UTC (D-28, D-96). */
  lastWorked: Date | string;
}

/**
 * A worker responded to an offer. The response may change later (D-08). Read it with a `switch` that has
 * a default: a service may send words that this version does not know (D-95).
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
 *       return undefined; // a word that is not known here: read the offer
 *   }
 * }
 * ```
 */
export interface WorkerOfferResponse {
  offerId: string;
  workerId: string;
  /** `accepted` where the offer's recipient says `applied`. The type is open: any other word is passed on as sent. */
  response: "accepted" | "rejected" | (string & {});
}

/**
 * An assigned worker deleted a time slot of an offer from their timeline. An additional event of the live service (D-34).
 *
 * @example
 * ```ts
 * import type { OfferEventDeleted } from "@offers/webhook-kit";
 *
 * export const slotOf = ({ eventStart }: OfferEventDeleted): Date => new Date(eventStart);
 * ```
 */
export interface OfferEventDeleted {
  offerId: string;
  workerId: string;
  /** ISO 8601 date-time. */
  eventStart: string;
}

/**
 * A worker's timeline changed. An additional event of the live service (D-34).
 *
 * @example
 * ```ts
 * import type { TimelineChanged } from "@offers/webhook-kit";
 *
 * export const periodOf = ({ periodStart, periodEnd }: TimelineChanged): string => `${periodStart}/${periodEnd}`;
 * ```
 */
export interface TimelineChanged {
  workerId: string;
  offerId?: string;
  /** ISO 8601 date-time, as are the other times here. */
  periodStart: string;
  periodEnd: string;
  completedAt: string;
  maxAvailableNow?: number;
  maxAvailableNowCreated?: string;
}

/**
 * A place in a trace, as [W3C Trace Context](https://www.w3.org/TR/trace-context/) writes it.
 *
 * @example
 * ```ts
 * import type { TraceContext } from "@offers/webhook-kit";
 *
 * export const traceIdOf = ({ traceparent }: TraceContext): string | undefined => traceparent.split("-")[1];
 * ```
 */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/**
 * One event with what a later process needs to handle it. Holds JSON values only.
 *
 * @inline
 */
interface EventOfType<Type extends string, Data> {
  /** The operation's name in the contract. */
  readonly type: Type;
  readonly data: Data;
  /** When the request was verified: an ISO 8601 date-time in UTC, by the clock of the process that verified it. */
  readonly receivedAt: string;
  /** As `source` of a handler's context; absent for a webhook. */
  readonly source?: "reconciled" | "feed";
  /** As `deduplicationKey` of a handler's context; absent under a scheme that signs no id. */
  readonly deduplicationKey?: string;
  /** As `unverifiedDeliveryId` of a handler's context: for logs only. */
  readonly unverifiedDeliveryId?: string;
  /** As `trace` of a handler's context; `traceEvent` of `/opentelemetry` continues it. */
  readonly trace?: TraceContext;
}

/**
 * Every event of the contract, as a union that narrows on `type`: what `onEvent` and `parseWebhook` give you, and what a queue can
 * carry to a worker. After `JSON.parse`, validate it with `parseWebhookEvent`.
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
 *       return `${event.data.workerId} deleted ${event.data.eventStart} of ${event.data.offerId}`;
 *     case "WorkerAddedContact":
 *     case "TimelineChanged":
 *       return `${event.type} of ${event.data.workerId}`;
 *   }
 * }
 * ```
 */
export type WebhookEvent =
  | EventOfType<"WorkerAddedContact", WorkerAddedContact>
  | EventOfType<"WorkerOfferResponse", WorkerOfferResponse>
  | EventOfType<"OfferEventDeleted", OfferEventDeleted>
  | EventOfType<"TimelineChanged", TimelineChanged>;
