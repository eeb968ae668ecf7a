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
 * The context of an event, whether it arrived as a webhook, or later through `reconcile` or `catchUp`.
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
  /** How the event arrived: as a webhook, from `reconcile` (`reconciled`) or from `catchUp` (`feed`). */
  readonly source: "webhook" | "reconciled" | "feed";
  /**
   * The `Offers-Delivery-Id` header: the same on every attempt of a delivery. The signature does not cover it, so use it for logs, never
   * to decide whether to handle an event.
   */
  readonly unverifiedDeliveryId: string | undefined;
  /**
   * Identifies the event: a hash of the signed message id and the tenant, the same on every attempt and in the feed. Undefined for a
   * webhook with a scheme that signs no id, such as `timestampDigest()`. Random for a response from `reconcile`.
   */
  readonly deduplicationKey: string | undefined;
  /**
   * The trace context of the handler's span, to send with a queue message. Set only with `tracer`. The event passed to `onEvent` contains
   * it too.
   */
  readonly trace?: TraceContext | undefined;
  /** Aborts when `handlerTimeoutMs` has elapsed and 503 was returned, or when you abort `reconcile` or `catchUp`. */
  readonly signal: AbortSignal;
  /**
   * When the request was verified; for an event from the feed, when the platform recorded it; for a reconciled response, when it was read.
   */
  readonly receivedAt: Date;
}

/**
 * The second argument of a webhook handler.
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
  /** Always `webhook`. */
  readonly source: "webhook";
  /** How the signature was verified. */
  readonly verified: Verified;
  /** Your framework's request, for example to read the tenant from its parameters. */
  readonly request: Incoming;
}

/**
 * Your handlers. Without `onWorkerOfferResponse` or `onEvent`, workers' responses get 404. The other events are optional: without a
 * handler, they are acknowledged and dropped. Delivery is at least once, so make handlers idempotent, and read the offer before you act on
 * an event. An event handler's result is ignored; if it throws, the response is 500 and the sender retries.
 *
 * A handler that runs longer than `handlerTimeoutMs` is not stopped: its `signal` aborts, and the response is 503. Until the handler ends,
 * but for at most another `handlerTimeoutMs`, the same request is rejected with 409. If the handler then succeeds, the request counts as
 * handled.
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
  /** Called when a worker added a contact: `GET /contact/new/{workerId}`. */
  onWorkerAddedContact?: ((event: WorkerAddedContact, context: HandlerContext<Incoming>) => unknown) | undefined;
  /**
   * Returns the contacts for a search: `POST /contact-suggestions`. The list is validated before it is sent. If it is invalid, the
   * response is 500, and `onError` receives `invalid_handler_result`. The list may be at most 1 MiB of JSON.
   */
  suggestContacts?:
    | ((
        search: ContactSuggestionRequest,
        context: HandlerContext<Incoming>,
      ) => readonly ContactSuggestion[] | Promise<readonly ContactSuggestion[]>)
    | undefined;
  /** Called when a worker responded to an offer: `POST /offer/response`. */
  onWorkerOfferResponse?: ((event: WorkerOfferResponse, context: HandlerContext<Incoming>) => unknown) | undefined;
  /** Called when a worker deleted a time slot: `POST /offer/eventDeleted`, an additional event from the live service. */
  onOfferEventDeleted?: ((event: OfferEventDeleted, context: HandlerContext<Incoming>) => unknown) | undefined;
  /** Called when a worker's timeline changed: `POST /events/timelineChanged`, an additional event from the live service. */
  onTimelineChanged?: ((event: TimelineChanged, context: HandlerContext<Incoming>) => unknown) | undefined;
  /** Called for every event without a specific handler, for example to enqueue it. Mounts the endpoints of all events. */
  onEvent?: ((event: WebhookEvent, context: HandlerContext<Incoming>) => unknown) | undefined;
}

/** Creates the event for `onEvent`. @param data validated against the schema for `type` */
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
