/**
 * `@offers/client/opentelemetry`: a span for each call.
 *
 * @module opentelemetry
 */
export type { OffersPromise, SafeResult, WithResponse } from "./call/offers-promise.ts";
export { TracedOffersClient } from "./entries/traced-offers-client.ts";
export type { OperationError } from "./errors/error-classes.ts";
export type { Offer, Recipient } from "./offer.ts";
