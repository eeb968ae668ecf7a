import type { WebhookOutcome } from "./webhook-outcome.ts";

/** Stable codes. The platform uses them too, except `invalid_argument`, `no_receiver` and `worker_not_found`. */
export type DeliveryErrorCode =
  | "invalid_argument"
  | "no_receiver"
  | "worker_not_found"
  | "delivery_not_found"
  | "delivery_pending"
  | "delivery_superseded"
  | "invalid_address"
  | "endpoint_check_failed"
  | "unexpected_status"
  | "response_too_large"
  | "malformed_json"
  | "invalid_suggestions"
  | Exclude<WebhookOutcome["failure"], undefined>;

/** A test step that is impossible or that the platform would reject. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly code: DeliveryErrorCode;

  constructor(code: DeliveryErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
