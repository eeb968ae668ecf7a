import type {
  ContactSuggestion,
  ContactSuggestionRequest,
  OfferEventDeleted,
  TimelineChanged,
  WorkerAddedContact,
  WorkerOfferResponse,
} from "./events.ts";
import type { Verified } from "./verified.ts";

/**
 * What a handler gets beside the event.
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
export interface HandlerContext<Incoming = unknown> {
  /**
   * The header `Offers-Delivery-Id`: the same on every attempt of one delivery. Not covered by the signature, so good for
   * a log line, never as a key that decides whether an event is handled (D-32).
   */
  readonly unverifiedDeliveryId: string | undefined;
  readonly verified: Verified;
  /** Aborts when `handlerTimeoutMs` is over and the sender has been answered 503. */
  readonly signal: AbortSignal;
  readonly receivedAt: Date;
  /** Your framework's own request, for example to tell the tenant from its parameters. */
  readonly request: Incoming;
}

/**
 * What you do with each webhook. An endpoint is mounted when its handler is given. Delivery is at least once and a webhook is
 * a hint: handle events idempotently, and read the offer before you act on one. What an event handler answers is ignored;
 * when it throws the sender is told 500 and sends again.
 *
 * A handler that takes longer than `handlerTimeoutMs` is not stopped, only told by `signal`; the sender is told 503. While it
 * is still at work, at most for as long again, the same request is 409 rather than run beside it (D-45); if it ends well, the
 * request counts as handled.
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
   * `POST /contact-suggestions`. The answer is checked before it is sent; an invalid one is a 500 and `invalid_handler_result`.
   * At most 1 MiB of JSON (D-24).
   */
  suggestContacts?(
    search: ContactSuggestionRequest,
    context: HandlerContext<Incoming>,
  ): readonly ContactSuggestion[] | Promise<readonly ContactSuggestion[]>;
  /** `POST /offer/response` */
  onWorkerOfferResponse?(event: WorkerOfferResponse, context: HandlerContext<Incoming>): unknown;
  /** `POST /offer/eventDeleted`, an extra of the live service (D-34) */
  onOfferEventDeleted?(event: OfferEventDeleted, context: HandlerContext<Incoming>): unknown;
  /** `POST /events/timelineChanged`, an extra of the live service (D-34) */
  onTimelineChanged?(event: TimelineChanged, context: HandlerContext<Incoming>): unknown;
}
