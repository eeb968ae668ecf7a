import { maxRetryAfterSeconds } from "../../generated/decisions.ts";

const second = 1_000;
const hour = 3_600 * second;

/** D-72, D-73 */
const policy = {
  /** So many consecutive attempts without a usable response open the circuit breaker. */
  failures: 10,
  firstPauseMs: 30 * second,
  maxPauseMs: 600 * second,
  disableAfterMs: 5 * 24 * hour,
  /** Failures further apart are not of one outage: nothing was attempted between them. */
  longestGapMs: 36 * hour,
};

/** At once, while the circuit breaker is closed. */
const maxUnderWay = 8;

/** What the attempts so far say about a receiver. */
export interface EndpointHealth {
  readonly consecutiveFailures: number;
  /** How often the circuit breaker opened since it was closed. */
  readonly pauses: number;
  /** Unix milliseconds, as all times here; no attempt before it, and after it one that decides. */
  readonly openUntil?: number;
  readonly failingSince?: number;
  readonly lastFailedAt?: number;
  readonly isDisabled?: true;
}

export const healthy: EndpointHealth = { consecutiveFailures: 0, pauses: 0 };

/** How many attempts may be under way at once. */
export function capacityAt({ isDisabled, openUntil }: EndpointHealth, now: number): number {
  if (isDisabled || (openUntil ?? 0) > now) return 0;
  return openUntil === undefined ? maxUnderWay : 1;
}

export interface AttemptResult {
  /** Absent when no response came. */
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The one attempt after a pause. */
  readonly isProbe: boolean;
  readonly at: number;
}

/** The health after one more attempt: the circuit breaker (D-72), and the end of an endpoint that acknowledges nothing (D-73). */
export function nextHealth(health: EndpointHealth, attempt: AttemptResult): EndpointHealth {
  const { status, at } = attempt;
  if (status === 200) return health.isDisabled ? { ...healthy, isDisabled: true } : healthy;
  const next = isUnhealthy(status) ? afterFailure(health, attempt) : healthy;
  const failingSince = sinceWhen(health, at);
  const isOver = health.isDisabled || status === 410 || at - failingSince >= policy.disableAfterMs;
  return { ...next, failingSince, lastFailedAt: at, ...(isOver && { isDisabled: true }) };
}

/** An endpoint that rejects with another status is up. */
const isUnhealthy = (status: number | undefined): boolean =>
  status === undefined || status >= 500 || status === 408 || status === 429;

function sinceWhen({ failingSince, lastFailedAt }: EndpointHealth, at: number): number {
  const goesOn = lastFailedAt !== undefined && at - lastFailedAt <= policy.longestGapMs;
  return goesOn ? (failingSince ?? at) : at;
}

function afterFailure(health: EndpointHealth, { isProbe, retryAfterMs = 0, at }: AttemptResult): EndpointHealth {
  const consecutiveFailures = health.consecutiveFailures + 1;
  const isOpen = health.openUntil !== undefined;
  // Attempts that were under way when it opened do not make the pause longer.
  if (isOpen ? !isProbe : consecutiveFailures < policy.failures) return { ...health, consecutiveFailures };
  const pauseMs = Math.min(policy.firstPauseMs * 2 ** health.pauses, policy.maxPauseMs);
  const openUntil = at + Math.max(pauseMs, Math.min(retryAfterMs, maxRetryAfterSeconds * second));
  return { ...health, consecutiveFailures, pauses: health.pauses + 1, openUntil };
}
