import type { Selectable } from "kysely";
import { maxRetryAfterSeconds } from "../../generated/decisions.ts";
import type { EndpointTable } from "../../store/tables.ts";
import type { Attempt } from "./attempt-delivery.ts";

/** When the circuit breaker of an endpoint opens, and when the endpoint is disabled (D-72, D-73). Tests use short times. */
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
  /** Failures further apart than this do not belong to one failing period. Longer than the longest delay of a retry schedule. */
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
 * How long the breaker stays open.
 *
 * @param random from 0 up to 1
 */
export function openDurationMs(policy: BreakerPolicy, { number, retryAfterMs = 0 }: Pause, random: number): number {
  const pauseMs = Math.min(policy.firstPauseMs * 2 ** (number - 1), policy.maxPauseMs);
  const jittered = pauseMs * (1 + policy.jitter * (2 * random - 1));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, policy.maxRetryAfterMs)));
}

/** The health of an endpoint, as columns of its row. Attempts change it. */
export type EndpointHealth = Pick<
  Selectable<EndpointTable>,
  | "consecutive_failures"
  | "failing_since"
  | "last_failed_at"
  | "breaker_open_count"
  | "breaker_open_until"
  | "disabled_at"
  | "disabled_because"
>;

export const healthy: EndpointHealth = {
  consecutive_failures: 0,
  failing_since: null,
  last_failed_at: null,
  breaker_open_count: 0,
  breaker_open_until: null,
  disabled_at: null,
  disabled_because: null,
};

export const healthColumns = Object.keys(healthy) as (keyof EndpointHealth)[];

/** What one attempt shows about the health of its endpoint. */
export type AttemptResult =
  | "acknowledged"
  /** A response with 410 disables the endpoint (D-73). */
  | "gone"
  /** It responded, but not with an acknowledgement: the cause may be this event, or the profile. */
  | "rejected"
  /** It did not respond, or responded that it is temporarily unavailable. */
  | "unhealthy"
  /** The attempt failed because of the platform itself. */
  | "inconclusive";

const unhealthyStatuses = new Set([408, 429]);

export function classifyAttempt({ status, failure }: Pick<Attempt, "status" | "failure">): AttemptResult {
  if (failure === undefined) return "acknowledged";
  if (failure === "internal_error" || failure === "request_too_large" || failure === "aborted") return "inconclusive";
  if (status === undefined || status >= 500 || unhealthyStatuses.has(status)) return "unhealthy";
  return status === 410 ? "gone" : "rejected";
}

export interface ClassifiedAttempt {
  result: AttemptResult;
  /** The one attempt after a pause, when the breaker is half-open. */
  isProbe: boolean;
  retryAfterMs?: number | undefined;
  at: Date;
}

const closed = { consecutive_failures: 0, breaker_open_count: 0, breaker_open_until: null };

/**
 * The endpoint's health after one more attempt (D-72, D-73). Only a person enables a disabled endpoint again.
 *
 * @param random from 0 up to 1
 */
export function nextHealth(
  health: EndpointHealth,
  attempt: ClassifiedAttempt,
  policy: BreakerPolicy,
  random: number,
): EndpointHealth {
  const { result, at } = attempt;
  if (result === "inconclusive") return health;
  if (result === "acknowledged") return { ...health, ...closed, failing_since: null, last_failed_at: null };
  const failing = { ...health, failing_since: failingSince(health, at, policy), last_failed_at: at };
  // An endpoint that rejects is up: the circuit breaker stays closed.
  const next = result === "unhealthy" ? afterFailure(failing, attempt, policy, random) : { ...failing, ...closed };
  if (next.disabled_at !== null) return next;
  if (result === "gone") return { ...next, disabled_at: at, disabled_because: "gone" };
  const isFailingForLong = at.getTime() - failing.failing_since.getTime() >= policy.disableAfterMs;
  return isFailingForLong ? { ...next, disabled_at: at, disabled_because: "failing" } : next;
}

/** Failures that are far apart do not belong to one failing period, because nothing was attempted between them. */
function failingSince(health: EndpointHealth, at: Date, policy: BreakerPolicy): Date {
  const { failing_since: since, last_failed_at: last } = health;
  const goesOn = last !== null && at.getTime() - last.getTime() <= policy.longestGapMs;
  return goesOn && since !== null ? since : at;
}

function afterFailure(
  health: EndpointHealth,
  { isProbe, retryAfterMs, at }: ClassifiedAttempt,
  policy: BreakerPolicy,
  random: number,
): EndpointHealth {
  const failures = health.consecutive_failures + 1;
  const isOpen = health.breaker_open_until !== null;
  // Attempts that had started before the breaker opened do not extend its pause.
  if (isOpen ? !isProbe : failures < policy.failures) return { ...health, consecutive_failures: failures };
  const pauses = health.breaker_open_count + 1;
  const pauseMs = openDurationMs(policy, { number: pauses, retryAfterMs }, random);
  const until = new Date(at.getTime() + pauseMs);
  return { ...health, consecutive_failures: failures, breaker_open_count: pauses, breaker_open_until: until };
}

/** A change of an endpoint's state that stops or resumes deliveries, for the log. */
export type EndpointRecord =
  | { organisationId: string; change: "paused"; consecutiveFailures: number; until: Date }
  | { organisationId: string; change: "resumed" }
  | { organisationId: string; change: "disabled"; because: string };

/** @returns undefined when the change neither stops nor resumes deliveries */
export function endpointRecord({
  organisationId,
  before,
  after,
}: {
  organisationId: string;
  before: EndpointHealth;
  after: EndpointHealth;
}): EndpointRecord | undefined {
  const { disabled_because: because, breaker_open_until: until } = after;
  if (because !== null && before.disabled_because === null) return { organisationId, change: "disabled", because };
  if (until !== null && after.breaker_open_count > before.breaker_open_count)
    return { organisationId, change: "paused", consecutiveFailures: after.consecutive_failures, until };
  if (until === null && before.breaker_open_until !== null) return { organisationId, change: "resumed" };
  return undefined;
}
