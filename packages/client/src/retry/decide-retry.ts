import type { AnyOffersError } from "../errors/any-offers-error.ts";
import type { Clock } from "../request/clock.ts";
import type { Credentials } from "../request/credentials.ts";
import type { PreparedRequest } from "../request/prepare-request.ts";
import { backoffMs } from "./backoff.ts";
import { ruleFor } from "./retry-policy.ts";

/**
 * How long to wait before a failed attempt is retried; undefined to give up.
 *
 * @param retries how many there have been
 */
export function retryDelayMs(
  error: AnyOffersError,
  { isRepeatable, limits }: Pick<PreparedRequest, "isRepeatable"> & { limits: { maxRetryAfterMs: number } },
  retries: number,
  clock: Clock,
): number | undefined {
  const rule = ruleFor(error);
  const { retryAfterMs = 0 } = error;
  const isAllowed = rule === "always" || (rule === "ifRepeatable" && isRepeatable);
  return isAllowed && retryAfterMs <= limits.maxRetryAfterMs
    ? Math.max(retryAfterMs, backoffMs(retries, clock))
    : undefined;
}

/**
 * Decides whether a failed attempt is followed by another, and after how many milliseconds. After a 401 it refreshes the key,
 * which costs no retry (D-47).
 *
 * @throws what `credentials.refresh` throws
 */
export async function decideRetry(
  error: AnyOffersError,
  request: PreparedRequest,
  attempts: number,
  credentials: Credentials,
  deadline: number,
  clock: Clock,
): Promise<number | undefined> {
  const retries = attempts - 1 - credentials.refreshes;
  let delayMs: number | undefined;
  if (error.code === "unauthenticated" && (await credentials.refresh(request, deadline - clock.now()))) delayMs = 0;
  else if (retries < request.limits.maxRetries) delayMs = retryDelayMs(error, request, retries, clock);
  return delayMs !== undefined && clock.now() + delayMs < deadline ? delayMs : undefined;
}
