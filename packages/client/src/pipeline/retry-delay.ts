import type { AnyOffersError } from "../errors/any-offers-error.ts";
import type { Clock } from "./clock.ts";

/**
 * How long to wait before a failed attempt is repeated; undefined when it must not be (D-50).
 *
 * @param repeatable whether the request may arrive twice; otherwise only one that provably never left is repeated (D-40)
 * @param retries how many there have been
 */
export function retryDelayMs(
  { code, status, retryAfterMs = 0 }: AnyOffersError,
  repeatable: boolean,
  retries: number,
  maxRetryAfterMs: number,
  clock: Clock,
): number | undefined {
  const isPassing = repeatable && (status === 408 || /_lost|timeout|rate|server/.test(code));
  if ((isPassing || code === "connect_failed") && retryAfterMs <= maxRetryAfterMs)
    return Math.max(retryAfterMs, Math.min(500 * 2 ** retries, 8_000) * (0.5 + clock.random() / 2));
  return undefined;
}
