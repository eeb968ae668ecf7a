import type { AnyOffersError } from "../errors/error-classes.ts";
import type { OffersRequest } from "../http.ts";
import type { ClientSettings } from "../options/settings.ts";

/** Retry for every operation, only for one whose second arrival has no second effect, or never. */
export type RetryRule = "always" | "ifRepeatable" | "never";

/** The codes that are retried (D-50). */
const retryPolicy: Partial<Record<AnyOffersError["code"], RetryRule>> = {
  // The request was never sent, so it had no effect (D-40).
  connect_failed: "always",

  // The request may have been received, and the condition may pass.
  connection_lost: "ifRepeatable",
  timeout: "ifRepeatable",
  rate_limited: "ifRepeatable",
  server_error: "ifRepeatable",

  // Never: the same request gets the same response, the caller ended the call, or the caller's own code failed. Waiting corrects
  // neither a certificate nor a port. A refreshed key after a 401 is another attempt, but no retry (D-47).
};

/** The retry decision for an error. 408 asks for the same request again (RFC 9110, 15.5.9); it shares its code with the other 4xx. */
export const ruleFor = ({ code, status }: Pick<AnyOffersError, "code" | "status">): RetryRule =>
  status === 408 ? "ifRepeatable" : (retryPolicy[code] ?? "never");

const firstDelayMs = 500;
const maxDelayMs = 8_000;

/**
 * How long to wait before a failed attempt is retried; undefined to give up. Exponential backoff with jitter (D-50): half of the
 * delay is fixed and half random, so that clients that failed together do not retry together.
 *
 * @param retries how many there have been
 */
export function delayBeforeRetry(
  error: AnyOffersError,
  method: OffersRequest["method"],
  settings: Pick<ClientSettings, "maxRetryAfterMs" | "serviceHonoursIdempotencyKey">,
  retries: number,
): number | undefined {
  const rule = ruleFor(error);
  const { retryAfterMs = 0 } = error;
  // A second arrival of a GET has no second effect, also of a withdrawal (D-10, D-40).
  const isRepeatable = method === "GET" || settings.serviceHonoursIdempotencyKey;
  if (rule === "never" || (rule === "ifRepeatable" && !isRepeatable)) return undefined;
  if (retryAfterMs > settings.maxRetryAfterMs) return undefined;
  const backoffMs = Math.min(firstDelayMs * 2 ** retries, maxDelayMs) * (0.5 + Math.random() / 2);
  return Math.max(retryAfterMs, backoffMs);
}
