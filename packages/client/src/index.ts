/**
 * Create, read, watch, complete and withdraw offers of work.
 *
 * @packageDocumentation
 */

// The client
export { OffersClient } from "./client/offers-client.ts";
export type { OffersPromise, SafeResult } from "./client/offers-promise.ts";
// Offers
export type { Offer, Recipient } from "./contract/offer.ts";
export type { OfferInput } from "./contract/offer-input.ts";
// Errors
export type { Problem } from "./contract/problem.ts";
export { type AnyOffersError, isOffersError } from "./errors/any-offers-error.ts";
export { AbortedError, ConnectionError, TimeoutError } from "./errors/no-response-errors.ts";
export { OffersError } from "./errors/offers-error.ts";
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
// HTTP and middleware
export type { Fetch } from "./http/fetch.ts";
export type { FetchResponse } from "./http/fetch-response.ts";
export type { Middleware } from "./http/middleware.ts";
export type { OffersRequest } from "./http/offers-request.ts";
export type { Logger } from "./options/logger.ts";
export type { ApiKey, CallOptions, OffersClientOptions } from "./options/options.ts";
