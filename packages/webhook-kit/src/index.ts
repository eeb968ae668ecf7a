/**
 * The core: options, events, schemes, deduplication and errors that all frameworks share.
 *
 * @module index
 */

// Receiving

export type { EventContext, HandlerContext, Handlers } from "./endpoints/handlers.ts";
export type { WebhookResponse } from "./http/response.ts";
export type { ReceiverOptions, VerifyOptions } from "./options/options.ts";
export { type VerifiedWebhook, verifyRequest, type WebhookRequest } from "./receive/verify-only.ts";
export type { SecretSource } from "./signature/secrets.ts";
export type { Verified } from "./signature/verify-signature.ts";

// Events

export type {
  ContactSuggestion,
  ContactSuggestionRequest,
  OfferEventDeleted,
  TimelineChanged,
  TraceContext,
  WebhookEvent,
  WorkerAddedContact,
  WorkerOfferResponse,
} from "./endpoints/events.ts";
export { parseWebhookEvent } from "./endpoints/parse-webhook-event.ts";

// Schemes

export type { ParsedSignature, SignatureScheme } from "./signature/signature-scheme.ts";
export { standardWebhooks } from "./signature/standard-webhooks.ts";
export { timestampDigest } from "./signature/timestamp-digest.ts";

// Deduplication

export type { AcquireResult, Deduplication } from "./deduplication/deduplication.ts";
export { memoryDeduplication } from "./deduplication/memory-deduplication.ts";

// Observability

export type { Rejection } from "./errors/rejection.ts";
export type { Logger } from "./options/options.ts";

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
} from "./errors/errors.ts";
