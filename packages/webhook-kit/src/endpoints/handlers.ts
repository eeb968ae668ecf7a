import type { Verified } from "../signature/verify-signature.ts";
import type {
  ContactSuggestion,
  ContactSuggestionRequest,
  OfferEventDeleted,
  TimelineChanged,
  TraceContext,
  WebhookEvent,
  WorkerAddedContact,
  WorkerOfferResponse,
} from "./events.ts";

/**
 * What a handler may know of an event however it came: as a webhook, or read later by `reconcile` or `catchUp`.
 *
 * @example
 * ```ts
 * import type { EventContext, WorkerOfferResponse } from "@offers/webhook-kit";
 *
 * export function log({ offerId, response }: WorkerOfferResponse, { source }: EventContext): void {
 *   console.log(offerId, response, source === "webhook" ? "now" : "late");
 * }
 * ```
 */
export interface EventContext {
  /** `reconciled` by `reconcile`, from the `feed` by `catchUp`, else `webhook`. */
  readonly source: "webhook" | "reconciled" | "feed";
  /**
   * The header `Offers-Delivery-Id`: the same on every attempt of one delivery. Not covered by the signature, so use it
   * for logs, never to decide whether an event is handled (D-32).
   */
  readonly unverifiedDeliveryId: string | undefined;
  /**
   * Identifies the event: a hash of the signed message id and the tenant, the same on every attempt and in the feed (D-136). Undefined
   * under a scheme that signs no id, such as `timestampDigest()`.
   */
  readonly deduplicationKey: string | undefined;
  /** With `tracer`: the span within which the handler runs, for a queue's message. `onEvent` has it in the event. */
  readonly trace?: TraceContext | undefined;
  /** Aborts when `handlerTimeoutMs` has elapsed and the sender has got 503; when you abort `reconcile` or `catchUp`. */
  readonly signal: AbortSignal;
  /** When the request was verified; for an event of the feed, when the platform recorded it; for a reconciled one, when it was read. */
  readonly receivedAt: Date;
}

/**
 * The second argument of a handler of webhooks.
 *
 * @example
 * ```ts
 * import type { HandlerContext, WorkerOfferResponse } from "@offers/webhook-kit";
 *
 * export async function forward(event: WorkerOfferResponse, { signal }: HandlerContext): Promise<void> {
 *   await fetch("https://planning.internal.example/responses", { method: "POST", body: JSON.stringify(event), signal });
 * }
 * ```
 */
export interface HandlerContext<Incoming = unknown> extends EventContext {
  readonly source: "webhook";
  readonly verified: Verified;
  /** Your framework's own request, for example to read the tenant from its parameters. */
  readonly request: Incoming;
}

/**
 * Your handlers. An endpoint is mounted when its handler is given. Delivery is at least once: make handlers idempotent, and fetch the
 * offer before you act on an event. The result of an event handler is ignored; if it throws, the sender gets 500 and retries.
 *
 * A handler that runs longer than `handlerTimeoutMs` is not stopped: its `signal` aborts, and the sender gets 503. Until it ends, at
 * most for as long again, the same request gets 409 (D-45). If it succeeds, the request counts as handled.
 *
 * @example
 * ```ts
 * import type { Handlers } from "@offers/webhook-kit";
 *
 * export const handlers: Handlers = {
 *   onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
 *   suggestContacts: ({ filter }) => (filter ? [] : [{ name: "Dana Kim", emailAddress: "dana.kim@example.com", ratings: [] }]),
 * };
 * ```
 */
export interface Handlers<Incoming = unknown> {
  /** `GET /contact/new/{workerId}` */
  onWorkerAddedContact?(event: WorkerAddedContact, context: HandlerContext<Incoming>): unknown;
  /**
   * `POST /contact-suggestions`. The list is validated before it is sent; an invalid one is a 500 and `invalid_handler_result`.
   * At most 1 MiB of JSON (D-24).
   */
  suggestContacts?(
    search: ContactSuggestionRequest,
    context: HandlerContext<Incoming>,
  ): readonly ContactSuggestion[] | Promise<readonly ContactSuggestion[]>;
  /** `POST /offer/response` */
  onWorkerOfferResponse?(event: WorkerOfferResponse, context: HandlerContext<Incoming>): unknown;
  /** `POST /offer/eventDeleted`, an additional event of the live service (D-34) */
  onOfferEventDeleted?(event: OfferEventDeleted, context: HandlerContext<Incoming>): unknown;
  /** `POST /events/timelineChanged`, an additional event of the live service (D-34) */
  onTimelineChanged?(event: TimelineChanged, context: HandlerContext<Incoming>): unknown;
  /** Every event whose own handler is not given; mounts the endpoints of all events. For a queue, for example. */
  onEvent?(event: WebhookEvent, context: HandlerContext<Incoming>): unknown;
}

/** What `onEvent` gets. @param data validated against the schema of the endpoint `type` */
export function toWebhookEvent(
  type: string,
  data: unknown,
  { source, receivedAt, deduplicationKey, unverifiedDeliveryId, trace }: EventContext,
): WebhookEvent {
  return {
    type,
    data,
    receivedAt: receivedAt.toISOString(),
    ...(source !== "webhook" && { source }),
    ...(deduplicationKey !== undefined && { deduplicationKey }),
    ...(unverifiedDeliveryId !== undefined && { unverifiedDeliveryId }),
    ...(trace && { trace }),
  } as WebhookEvent;
}
