/**
 * The core: options, events, schemes, deduplication and errors, whatever the framework.
 *
 * @module index
 */

// Receiving

export type { HandlerContext, Handlers } from "./handlers.ts";
export type { WebhookResponse } from "./http/response.ts";
export type { ReceiverOptions, VerifyOptions } from "./options/options.ts";
export { verifyRequest, type WebhookRequest } from "./receive/verify-request.ts";
export type { SecretSource } from "./signature/secrets.ts";
export type { Verified, VerifiedWebhook } from "./verified.ts";

// Events

export { parseWebhookEvent } from "./endpoints/parse-webhook-event.ts";
export type {
  ContactSuggestion,
  ContactSuggestionRequest,
  OfferEventDeleted,
  TimelineChanged,
  WorkerAddedContact,
  WorkerOfferResponse,
} from "./events.ts";
export type { WebhookEvent } from "./webhook-event.ts";

// Schemes

export type { ParsedSignature, SignatureScheme } from "./signature/signature-scheme.ts";
export { standardWebhooks } from "./signature/standard-webhooks.ts";
export { timestampDigest } from "./signature/timestamp-digest.ts";

// Deduplication

export type { AcquireResult, Deduplication } from "./deduplication/deduplication.ts";
export { memoryDeduplication } from "./deduplication/memory-deduplication.ts";

// Observability

export type { Logger } from "./logger.ts";
export type { Rejection } from "./rejection.ts";

// Errors

export {
  type AnyWebhookKitError,
  ConfigurationError,
  HandlerError,
  InternalError,
  InvalidEventError,
  isWebhookKitError,
  UnavailableError,
  WebhookKitError,
} from "./errors.ts";
