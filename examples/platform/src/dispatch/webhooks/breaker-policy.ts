import { maxRetryAfterSeconds } from "../../generated/decisions.ts";

/** When the circuit breaker opens, and when the endpoint is disabled (D-72, D-73). Data: tests use short times. */
export interface BreakerPolicy {
  /** So many consecutive attempts with the result `unhealthy` open the circuit breaker. */
  failures: number;
  firstPauseMs: number;
  /** Each pause is twice as long as the one before, up to this. */
  maxPauseMs: number;
  /** The share by which a pause is made longer or shorter at random. */
  jitter: number;
  /** A `Retry-After` is honoured when it asks for more than the pause, up to this. */
  maxRetryAfterMs: number;
  /** An endpoint that fails for so long without acknowledging anything is disabled. */
  disableAfterMs: number;
  /** Failures further apart are not of one such time: longer than the longest pause of a retry schedule. */
  longestGapMs: number;
}

/** D-72, D-73 */
export const defaultBreakerPolicy: BreakerPolicy = {
  failures: 10,
  firstPauseMs: 30_000,
  maxPauseMs: 600_000,
  jitter: 0.2,
  maxRetryAfterMs: maxRetryAfterSeconds * 1_000,
  disableAfterMs: 5 * 24 * 3_600_000,
  longestGapMs: 36 * 3_600_000,
};

export interface Pause {
  /** Counted from 1. */
  number: number;
  /** What the endpoint asked for. */
  retryAfterMs?: number | undefined;
}

/**
 * How long nothing is attempted.
 *
 * @param random from 0 up to 1
 */
export function openDurationMs(policy: BreakerPolicy, { number, retryAfterMs = 0 }: Pause, random: number): number {
  const pauseMs = Math.min(policy.firstPauseMs * 2 ** (number - 1), policy.maxPauseMs);
  const jittered = pauseMs * (1 + policy.jitter * (2 * random - 1));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, policy.maxRetryAfterMs)));
}
