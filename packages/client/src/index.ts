/**
 * Create, read, watch, complete and withdraw offers of work.
 *
 * @packageDocumentation
 */

// The client
export type { OffersPromise, SafeResult, WithResponse } from "./call/start-call.ts";
// Errors
export {
  AbortedError,
  type AnyOffersError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  InvalidResponseError,
  isOffersError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UsageError,
} from "./errors/error-classes.ts";
export { OffersError, type Problem } from "./errors/offers-error.ts";
// HTTP and middleware
export type { Fetch, FetchResponse, Middleware, OffersRequest } from "./http.ts";
// Offers
export type { Offer, OfferEvent, OfferEventInput, OfferInput, Recipient } from "./offer.ts";
export { OffersClient } from "./offers-client.ts";
// Options
export type { ApiKey, CallOptions, Logger, OffersClientOptions } from "./options/options.ts";
