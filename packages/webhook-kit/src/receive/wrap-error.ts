import { type AnyWebhookKitError, InternalError, isWebhookKitError } from "../errors.ts";

/** Nothing but our own errors should come here; whatever else does is told as a fault of its own, its words as the cause. */
export const asOwnError = (cause: unknown): AnyWebhookKitError =>
  isWebhookKitError(cause)
    ? cause
    : new InternalError(
        "internal_error",
        "Something unforeseen failed while a request was received; the cause of this error has what was thrown. Does your `now` throw?",
        {
          cause,
        },
      );
