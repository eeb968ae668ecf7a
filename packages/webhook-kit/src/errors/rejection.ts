/**
 * Why a request was rejected: verification failed (401), or the sender did something else wrong.
 *
 * @inline
 */
export type RejectionCode =
  | "missing_timestamp"
  | "malformed_timestamp"
  | "timestamp_out_of_tolerance"
  | "missing_authorization"
  | "malformed_authorization"
  | "missing_signature"
  | "malformed_signature"
  | "missing_webhook_id"
  | "malformed_webhook_id"
  | "duplicate_header"
  | "unknown_tenant"
  | "signature_mismatch"
  | "signature_reused"
  | "unknown_path"
  | "handler_not_configured"
  | "method_not_allowed"
  | "unsupported_media_type"
  | "body_too_large"
  | "body_timeout"
  | "body_incomplete"
  | "invalid_encoding"
  | "malformed_json"
  | "invalid_request"
  | "request_in_progress";

/**
 * Why a request was rejected, for `onRejected`. It contains nothing from the request except the name of the endpoint.
 *
 * @example
 * ```ts
 * import type { Rejection } from "@offers/webhook-kit";
 *
 * export const lineOf = ({ status, code, message }: Rejection): string => `${status} ${code}: ${message}`;
 * ```
 */
export interface Rejection {
  /** The reason. It never changes between releases; `message` may. */
  readonly code: RejectionCode;
  /** An explanation for people: what is wrong and its most likely cause. */
  readonly message: string;
  /** The response's HTTP status. */
  readonly status: number;
  /** The operation's name, such as `WorkerOfferResponse`; absent with `verifyWebhook` and `verifyRequest`. */
  readonly endpoint?: string;
  /** How many seconds the timestamp is ahead of your clock; negative if it is behind. Only with `timestamp_out_of_tolerance`. */
  readonly skewSeconds?: number;
  /** The page about `code`: its meaning, the likely cause and what to do. */
  readonly docsUrl: string;
}

/** A rejection before the observer adds `docsUrl`. */
export type RejectionFacts = Omit<Rejection, "docsUrl">;

/** What is wrong with the headers. @inline */
export type SignatureProblem = Pick<Rejection, "code" | "message">;
