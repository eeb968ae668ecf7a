/**
 * Create, read, watch, complete and withdraw offers of work.
 *
 * @packageDocumentation
 */

export { type AnyOffersError, isOffersError } from "./errors/any-offers-error.ts";
export { AbortedError, ConnectionError, TimeoutError } from "./errors/no-response-errors.ts";
export { OffersError } from "./errors/offers-error.ts";
// What goes wrong
export {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InvalidResponseError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from "./errors/response-errors.ts";
export { UsageError } from "./errors/usage-error.ts";
export type { Fetch, FetchResponse } from "./fetch.ts";
export type { Logger } from "./logger.ts";
export type { Middleware, OffersRequest } from "./middleware.ts";
// What is sent and received
export type { Offer, Recipient } from "./offer.ts";
export type { OfferInput } from "./offer-input.ts";
// The client
export { OffersClient } from "./offers-client.ts";
export type { OffersPromise, SafeResult } from "./offers-promise.ts";
// Its options
export type { ApiKey, CallOptions, OffersClientOptions } from "./options.ts";
export type { Problem } from "./problem.ts";
