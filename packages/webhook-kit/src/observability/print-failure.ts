import type { AnyWebhookKitError } from "../errors.ts";

/**
 * Where failures go without `logger` and `onError`. The cause is printed by itself: not every runtime's console prints the cause
 * of an error with its stack.
 */
export function printFailure(error: AnyWebhookKitError, endpoint = "the check of a request"): void {
  const line = `webhook failed (${error.code}) in ${endpoint}:`;
  if ("cause" in error) console.error(line, error.message, error.cause);
  else console.error(line, error);
}
