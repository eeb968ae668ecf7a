import type { Handlers } from "../endpoints/handlers.ts";
import { type AnyWebhookKitError, InternalError, isWebhookKitError } from "../errors/errors.ts";
import type { RejectionFacts } from "../errors/rejection.ts";
import { Rejected } from "../http/rejected.ts";
import { internalError, problemResponse, unavailable, type WebhookResponse } from "../http/response.ts";

/** How a request ended: handled now or earlier, dropped because there is no handler, rejected, or failed. */
export type Outcome =
  | { readonly response: WebhookResponse; readonly duplicate: boolean }
  | { readonly response: WebhookResponse; readonly dropped: keyof Handlers }
  | { readonly response: WebhookResponse; readonly rejection: RejectionFacts }
  | { readonly response: WebhookResponse; readonly error: AnyWebhookKitError };

/** Converts what a pipeline step threw into the request's outcome. */
export function toOutcome(cause: unknown): Extract<Outcome, { rejection: unknown } | { error: unknown }> {
  if (cause instanceof Rejected) return cause;
  const error = isWebhookKitError(cause) ? cause : wrapInternalError(cause);
  return { error, response: failureResponse(error) };
}

export const wrapInternalError = (cause: unknown): InternalError =>
  new InternalError(
    "internal_error",
    "Something threw while a request was being received; see this error's cause. Does your `now` throw?",
    { cause },
  );

/**
 * Returns the response to a failure. It reveals only whether a retry may help, except for `body_already_consumed`, whose message helps you
 * to mount the receiver correctly. Checks names and codes instead of classes, because the error may come from a different copy of this
 * package.
 */
export function failureResponse(error: AnyWebhookKitError): WebhookResponse {
  if (error.code === "body_already_consumed")
    return problemResponse({ ...internalError, code: error.code, detail: error.message });
  const isTemporary = error.name === "UnavailableError" || error.code === "handler_timed_out";
  return problemResponse(isTemporary ? unavailable : internalError);
}
