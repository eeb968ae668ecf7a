import type { OffersFailure } from "../errors/offers-failure.ts";
import type { Clock } from "./clock.ts";

/**
 * How long to wait before a failed attempt is repeated; undefined when it must not be (D-50).
 *
 * @param repeatable whether the request may arrive twice; otherwise only one that provably never left is repeated (D-40)
 * @param retries how many there have been
 */
export function retryDelayMs(
  { code, status = 0, retryAfterMs = 0 }: OffersFailure,
  repeatable: boolean,
  retries: number,
  maxRetryAfterMs: number,
  clock: Clock,
): number | undefined {
  const isPassing = /^(connection_lost|timeout|rate_limited|server_error)$/.test(code) || status === 408;
  if ((code === "connection_not_made" || (repeatable && isPassing)) && retryAfterMs <= maxRetryAfterMs)
    return Math.max(retryAfterMs, Math.min(500 * 2 ** retries, 8_000) * (0.5 + clock.random() / 2));
  return undefined;
}
