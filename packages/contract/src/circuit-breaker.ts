import { maxRetryAfterSeconds } from "./generated/decisions.ts";

/** When an endpoint's circuit breaker opens, and when the endpoint is disabled (D-72, D-73). Tests use short times. */
export interface BreakerPolicy {
  /** This many consecutive attempts with the result `unhealthy` open the circuit breaker. */
  failures: number;
  firstPauseMs: number;
  /** The longest pause. Each pause is twice as long as the previous one, up to this limit. */
  maxPauseMs: number;
  /** The fraction by which a pause is randomly lengthened or shortened. */
  jitter: number;
  /** A `Retry-After` that is longer than the pause is respected, up to this limit. */
  maxRetryAfterMs: number;
  /** An endpoint that fails for this long without acknowledging anything is disabled. */
  disableAfterMs: number;
  /** Failures further apart than this belong to different failing periods. Must be longer than the longest retry delay. */
  longestGapMs: number;
}

/** The policy in production (D-72, D-73). */
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
  /** 1 for the first pause since the breaker was last closed. */
  number: number;
  /** The delay that the endpoint asked for. */
  retryAfterMs?: number | undefined;
}

/**
 * Returns how long the breaker stays open.
 *
 * @param random a number from 0 to 1 that determines the jitter
 */
export function openDurationMs(policy: BreakerPolicy, { number, retryAfterMs = 0 }: Pause, random: number): number {
  const pauseMs = Math.min(policy.firstPauseMs * 2 ** (number - 1), policy.maxPauseMs);
  // `2 * random - 1` is a number from -1 to 1.
  const jitteredMs = pauseMs * (1 + policy.jitter * (2 * random - 1));
  return Math.round(Math.max(jitteredMs, Math.min(retryAfterMs, policy.maxRetryAfterMs)));
}

/** The maximum number of concurrent attempts at an endpoint while its breaker is closed. */
export const endpointCapacity = 8;

/** An endpoint's health, according to the attempts so far. */
export interface EndpointHealth {
  consecutiveFailures: number;
  /** The start of the failing period; null while the endpoint is healthy. */
  failingSince: Date | null;
  lastFailedAt: Date | null;
  /** How many times the breaker has opened since it was last closed. */
  openCount: number;
  /** Nothing is sent before this time. Then the breaker is half-open, and a single attempt decides whether it closes. Null while closed. */
  openUntil: Date | null;
  disabledAt: Date | null;
  disabledBecause: "gone" | "failing" | null;
}

export const healthy: EndpointHealth = {
  consecutiveFailures: 0,
  failingSince: null,
  lastFailedAt: null,
  openCount: 0,
  openUntil: null,
  disabledAt: null,
  disabledBecause: null,
};

/** The result of one attempt, as far as it affects the endpoint's health. */
export type AttemptResult =
  | "acknowledged"
  /** A response with 410 disables the endpoint (D-73). */
  | "gone"
  /** The endpoint responded, but did not acknowledge the event. The cause may be the event or the company profile. */
  | "rejected"
  /** The endpoint did not respond, or responded that it is temporarily unavailable. */
  | "unhealthy"
  /** The attempt failed because of the platform itself. */
  | "inconclusive";

const unhealthyStatuses = new Set([408, 429]);

/** Classifies an attempt by its response status. @param status undefined if there was no response */
export function classifyStatus(status: number | undefined): AttemptResult {
  if (status === undefined || status >= 500 || unhealthyStatuses.has(status)) return "unhealthy";
  if (status === 410) return "gone";
  return status === 200 ? "acknowledged" : "rejected";
}

export interface ClassifiedAttempt {
  result: AttemptResult;
  /** Whether this is the single attempt after a pause, when the breaker is half-open. */
  isProbe: boolean;
  retryAfterMs?: number | undefined;
  at: Date;
}

const closed = { consecutiveFailures: 0, openCount: 0, openUntil: null };

/**
 * Returns the endpoint's health after another attempt (D-72, D-73). Only a user can enable a disabled endpoint again.
 *
 * @param random a number from 0 to 1 that determines the jitter
 */
export function nextHealth(
  health: EndpointHealth,
  attempt: ClassifiedAttempt,
  policy: BreakerPolicy,
  random: number,
): EndpointHealth {
  const { result, at } = attempt;
  if (result === "inconclusive") return health;
  if (result === "acknowledged") return { ...health, ...closed, failingSince: null, lastFailedAt: null };
  const failing = { ...health, failingSince: startOfFailingPeriod(health, at, policy), lastFailedAt: at };
  // An endpoint that rejects events is up, so the circuit breaker stays closed.
  const next =
    result === "unhealthy" ? afterUnhealthyAttempt(failing, attempt, policy, random) : { ...failing, ...closed };
  if (next.disabledAt !== null) return next;
  if (result === "gone") return { ...next, disabledAt: at, disabledBecause: "gone" };
  const hasFailedTooLong = at.getTime() - failing.failingSince.getTime() >= policy.disableAfterMs;
  return hasFailedTooLong ? { ...next, disabledAt: at, disabledBecause: "failing" } : next;
}

/**
 * Returns the start of the failing period. Failures that are far apart belong to different periods, because nothing was attempted between
 * them.
 */
function startOfFailingPeriod(health: EndpointHealth, at: Date, policy: BreakerPolicy): Date {
  const { failingSince, lastFailedAt } = health;
  const isSamePeriod = lastFailedAt !== null && at.getTime() - lastFailedAt.getTime() <= policy.longestGapMs;
  return isSamePeriod && failingSince !== null ? failingSince : at;
}

function afterUnhealthyAttempt(
  health: EndpointHealth,
  { isProbe, retryAfterMs, at }: ClassifiedAttempt,
  policy: BreakerPolicy,
  random: number,
): EndpointHealth {
  const consecutiveFailures = health.consecutiveFailures + 1;
  const isOpen = health.openUntil !== null;
  // While the breaker is open, only the half-open attempt extends the pause. Other attempts had started before it opened.
  const startsPause = isOpen ? isProbe : consecutiveFailures >= policy.failures;
  if (!startsPause) return { ...health, consecutiveFailures };
  const openCount = health.openCount + 1;
  const pauseMs = openDurationMs(policy, { number: openCount, retryAfterMs }, random);
  return { ...health, consecutiveFailures, openCount, openUntil: new Date(at.getTime() + pauseMs) };
}
