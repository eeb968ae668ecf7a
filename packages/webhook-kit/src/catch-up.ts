/**
 * `@offers/webhook-kit/catch-up`: after an outage, handles the events whose webhooks never arrived, once each.
 *
 * @module catch-up
 */
export { type CatchUpOptions, type CatchUpSummary, catchUp } from "./catch-up/catch-up.ts";
export {
  type ReconcileOptions,
  type ReconcileSummary,
  type ResponseSource,
  reconcile,
  reconcileOnWebhook,
} from "./catch-up/reconcile.ts";
export type { WorkerOfferResponse } from "./endpoints/events.ts";
export type { EventContext } from "./endpoints/handlers.ts";
