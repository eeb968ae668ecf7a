import { maxRetryAfterSeconds, retryDelaysSeconds, retryJitter } from "./generated/decisions.ts";

/**
 * The retry schedule of a delivery that was not acknowledged (D-26): exponential backoff with jitter. Development uses a shorter schedule.
 */
export interface RetrySchedule {
  /** The delays after the first, second, … attempt. If the attempt after the last delay fails, the delivery becomes a dead letter. */
  delaysMs: readonly number[];
  /** The fraction by which a delay is randomly lengthened or shortened, so that retries do not all arrive together (thundering herd). */
  jitter: number;
  /**
   * The Retry-After cap: the longest `Retry-After` that is respected. A `Retry-After` applies only if it is longer than the scheduled
   * delay.
   */
  maxRetryAfterMs: number;
}

/** The schedule in production (D-26). */
export const defaultRetrySchedule: RetrySchedule = {
  delaysMs: retryDelaysSeconds.map((seconds) => seconds * 1_000),
  jitter: retryJitter,
  maxRetryAfterMs: maxRetryAfterSeconds * 1_000,
};

export interface FailedAttempt {
  /** 1 for the first attempt. */
  number: number;
  /** The delay that the response requested with `Retry-After`. */
  retryAfterMs?: number | undefined;
}

/**
 * Returns how long to wait after a failed attempt; undefined after the last attempt.
 *
 * @param random a number from 0 to 1 that determines the jitter
 */
export function retryDelayMs(schedule: RetrySchedule, attempt: FailedAttempt, random: number): number | undefined {
  const delayMs = schedule.delaysMs[attempt.number - 1];
  if (delayMs === undefined) return undefined;
  // `2 * random - 1` is a number from -1 to 1.
  const jitteredMs = delayMs * (1 + schedule.jitter * (2 * random - 1));
  return Math.round(Math.max(jitteredMs, Math.min(attempt.retryAfterMs ?? 0, schedule.maxRetryAfterMs)));
}
