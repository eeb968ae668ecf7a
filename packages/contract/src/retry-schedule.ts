import { maxRetryAfterSeconds, retryDelaysSeconds, retryJitter } from "./generated/decisions.ts";

/**
 * The retry schedule of a delivery that was not acknowledged (D-26): exponential backoff with jitter. Development uses a shorter schedule.
 */
export interface RetrySchedule {
  /** The delays after the first, second, … attempt. If the attempt after the last delay fails, the delivery becomes a dead letter. */
  delaysMs: readonly number[];
  /** The fraction by which a pause is randomly lengthened or shortened, so that retries do not all arrive together (thundering herd). */
  jitter: number;
  /** The longest `Retry-After` that is respected. It applies only if it is longer than the schedule's delay. */
  maxRetryAfterMs: number;
}

/** D-26 */
export const defaultRetrySchedule: RetrySchedule = {
  delaysMs: retryDelaysSeconds.map((seconds) => seconds * 1_000),
  jitter: retryJitter,
  maxRetryAfterMs: maxRetryAfterSeconds * 1_000,
};

export interface FailedAttempt {
  /** Counted from 1. */
  number: number;
  /** From the response's `Retry-After`. */
  retryAfterMs?: number | undefined;
}

/**
 * Returns how long to wait after a failed attempt; undefined after the last attempt.
 *
 * @param random from 0 up to 1
 */
export function retryDelayMs(schedule: RetrySchedule, attempt: FailedAttempt, random: number): number | undefined {
  const delayMs = schedule.delaysMs[attempt.number - 1];
  if (delayMs === undefined) return undefined;
  const jittered = delayMs * (1 + schedule.jitter * (2 * random - 1));
  return Math.round(Math.max(jittered, Math.min(attempt.retryAfterMs ?? 0, schedule.maxRetryAfterMs)));
}
