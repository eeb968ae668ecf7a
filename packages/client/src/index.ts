/**
 * Create, read, watch, complete and withdraw offers of work.
 *
 * @packageDocumentation
 */

// Rate limits
export type { RateLimit } from "@offers/contract/rate-limit";
// The client
export type { OffersPromise, SafeResult, WithResponse } from "./call/offers-promise.ts";
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
  isOperationError,
  NotFoundError,
  type OperationError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UsageError,
} from "./errors/error-classes.ts";
export { OffersError, type Problem } from "./errors/offers-error.ts";
// HTTP and middleware
export type { Fetch, FetchResponse, Middleware, OffersRequest, OperationName } from "./http.ts";
// Offers
export type { Offer, OfferEvent, OfferEventInput, OfferInput, Recipient } from "./offer.ts";
export { OffersClient } from "./offers-client.ts";
// Options
export type { ApiKey, CallOptions, DeprecationNotice, Logger, OffersClientOptions } from "./options/options.ts";
