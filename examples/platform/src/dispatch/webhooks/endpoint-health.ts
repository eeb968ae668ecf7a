import type { Selectable } from "kysely";
import type { EndpointTable } from "../../store/tables.ts";
import type { Attempt } from "./attempt/attempt-delivery.ts";
import { type BreakerPolicy, openDurationMs } from "./breaker-policy.ts";

/** What attempts say about an endpoint: columns of its row. */
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

/** What one attempt says about the endpoint. */
export type AttemptResult =
  | "acknowledged"
  /** It asks never to be called again: 410 disables the endpoint (D-73). */
  | "gone"
  /** It responds, but not with an acknowledgement: this event may be at fault, or the profile. */
  | "rejected"
  /** No response, or one that says that it cannot work now. */
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
 * The endpoint's health after one more attempt (D-72, D-73). Disabling is for a person to undo.
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

/** Failures that are far apart are not of one period: nothing was attempted between them. */
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
  // Attempts that were under way when it opened do not make the pause longer.
  if (isOpen ? !isProbe : failures < policy.failures) return { ...health, consecutive_failures: failures };
  const pauses = health.breaker_open_count + 1;
  const pauseMs = openDurationMs(policy, { number: pauses, retryAfterMs }, random);
  const until = new Date(at.getTime() + pauseMs);
  return { ...health, consecutive_failures: failures, breaker_open_count: pauses, breaker_open_until: until };
}
