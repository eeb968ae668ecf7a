import type { AnyOffersError } from "../errors/error-classes.ts";
import type { OffersRequest } from "../http.ts";
import type { ClientSettings } from "../options/settings.ts";

/**
 * The codes of failures after which a retry may succeed, although the service may have received the request. All other codes except
 * `connect_failed` and that of a 408 are final: the same request would get the same response, the caller aborted the call, the caller's own
 * code failed, or a certificate or port is wrong. The attempt with a refreshed key after a 401 does not count as a retry (D-47).
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
  // It is safe to repeat a GET, even a withdrawal (D-10, D-40).
  const isRepeatable = method === "GET" || settings.serviceHonoursIdempotencyKey;
  // A client may repeat the request after a 408 (RFC 9110, section 15.5.9). Other 4xx responses have the same code.
  const isTransient = status === 408 || transientCodes.includes(code);
  // After `connect_failed` nothing was sent, so the request had no effect (D-40).
  const mayRetry = code === "connect_failed" || (isTransient && isRepeatable);
  if (!mayRetry || retryAfterMs > settings.maxRetryAfterMs) return undefined;
  const backoffMs = Math.min(firstDelayMs * 2 ** retries, maxDelayMs) * (0.5 + Math.random() / 2);
  return Math.max(retryAfterMs, backoffMs);
}
