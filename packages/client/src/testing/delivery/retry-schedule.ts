import { maxRetryAfterSeconds, retryDelaysSeconds } from "../../generated/decisions.ts";

/**
 * The pause after a failed attempt (D-26), without the platform's jitter: the same test takes the same course each time.
 *
 * @param number of the attempt, from 1
 * @param retryAfterMs what the receiver asked for
 * @returns undefined after the last attempt
 */
export function retryDelayMs(number: number, retryAfterMs = 0): number | undefined {
  const seconds = retryDelaysSeconds[number - 1];
  return seconds === undefined
    ? undefined
    : Math.max(seconds * 1_000, Math.min(retryAfterMs, maxRetryAfterSeconds * 1_000));
}
