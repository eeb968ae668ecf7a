/**
 * The core: options, events, schemes, receipts and errors, whatever the framework.
 *
 * @module index
 */

// Receiving

export type { Answer } from "./answer.ts";
export type { HandlerContext, Handlers } from "./handlers.ts";
export type { ReceiverOptions, VerifyOptions } from "./options.ts";
export type { Secret } from "./secrets.ts";
export type { VerifiedWebhook } from "./verified-webhook.ts";
export { verifyRequest, type WebhookRequest } from "./verify-request.ts";

// Events

export type {
  ContactSuggestion,
  ContactSuggestionRequest,
  OfferEventDeleted,
  TimelineChanged,
  WorkerAddedContact,
  WorkerOfferResponse,
} from "./events.ts";

// Schemes

export type { SignatureClaim, SignatureScheme } from "./signature-scheme.ts";
export { standardWebhooks } from "./standard-webhooks.ts";
export { timestampDigest } from "./timestamp-digest.ts";

// Receipts

export { memoryReceipts } from "./memory-receipts.ts";
export type { ReceiptClaim, Receipts } from "./receipts.ts";

// What happened

export type { Logger } from "./logger.ts";
export type { Verified } from "./observer.ts";
export type { Rejection } from "./rejection.ts";

// Errors

export {
  type AnyWebhookKitError,
  ConfigurationError,
  HandlerError,
  InternalError,
  isWebhookKitError,
  UnavailableError,
  WebhookKitError,
} from "./errors.ts";
