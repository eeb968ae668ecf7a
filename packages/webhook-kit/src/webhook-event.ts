import type { OfferEventDeleted, TimelineChanged, WorkerAddedContact, WorkerOfferResponse } from "./events.ts";

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
  /** As `deduplicationKey` of a handler's context; absent under a scheme that signs no id. */
  readonly deduplicationKey?: string;
  /** As `unverifiedDeliveryId` of a handler's context: for logs only. */
  readonly unverifiedDeliveryId?: string;
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
