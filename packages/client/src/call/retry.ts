import type { AnyOffersError } from "../errors/error-classes.ts";
import type { OffersRequest } from "../http.ts";
import type { ClientSettings } from "../options/settings.ts";

/**
 * The codes after which the request may have been received and a retry may succeed. All others except `connect_failed` are final: the same
 * request would get the same response, the caller aborted the call, the caller's own code failed, or a certificate or port is wrong. The
 * attempt with a refreshed key after a 401 does not count as a retry (D-47).
 */
const transientCodes: readonly string[] = ["connection_lost", "timeout", "rate_limited", "server_error"];

const firstDelayMs = 500;
const maxDelayMs = 8_000;

/**
 * Decides whether to retry a failed attempt. Returns the delay in milliseconds, or undefined to give up. The delay is an
 * exponential backoff with jitter (D-50): half of it is random, so that clients that failed together do not retry together.
 *
 * @param retries the number of retries so far
 */
export function delayBeforeRetry(
  { code, status, retryAfterMs = 0 }: Pick<AnyOffersError, "code" | "status" | "retryAfterMs">,
  method: OffersRequest["method"],
  settings: Pick<ClientSettings, "maxRetryAfterMs" | "serviceHonoursIdempotencyKey">,
  retries: number,
): number | undefined {
  // Repeating a GET is harmless, even a withdrawal (D-10, D-40).
  const isRepeatable = method === "GET" || settings.serviceHonoursIdempotencyKey;
  // 408 is checked by status, because other 4xx share its code. 408 asks for the same request again (RFC 9110, section 15.5.9).
  const isTransient = status === 408 || transientCodes.includes(code);
  // After `connect_failed` nothing was sent, so the request had no effect (D-40).
  if (!(code === "connect_failed" || (isTransient && isRepeatable)) || retryAfterMs > settings.maxRetryAfterMs)
    return undefined;
  const backoffMs = Math.min(firstDelayMs * 2 ** retries, maxDelayMs) * (0.5 + Math.random() / 2);
  return Math.max(retryAfterMs, backoffMs);
}
