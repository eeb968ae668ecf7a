import type { Selectable } from "kysely";
import type { EndpointTable } from "../store/tables.ts";
import type { Attempt } from "./attempt-delivery.ts";
import { type BreakerPolicy, breakerPauseMs } from "./breaker-policy.ts";

/** What attempts say about an endpoint: columns of its row. */
export type EndpointHealth = Pick<
  Selectable<EndpointTable>,
  | "consecutive_failures"
  | "failing_since"
  | "last_failed_at"
  | "breaker_pauses"
  | "breaker_open_until"
  | "disabled_at"
  | "disabled_because"
>;

export const healthy: EndpointHealth = {
  consecutive_failures: 0,
  failing_since: null,
  last_failed_at: null,
  breaker_pauses: 0,
  breaker_open_until: null,
  disabled_at: null,
  disabled_because: null,
};

export const healthColumns = Object.keys(healthy) as (keyof EndpointHealth)[];

/** What one attempt says about the endpoint. */
export type Verdict =
  | "acknowledged"
  /** It asks never to be called again: 410. */
  | "gone"
  /** It answers, but not with an acknowledgement: this event may be at fault, or the profile. */
  | "refused"
  /** It does not answer, or says itself that it cannot work now. */
  | "unwell"
  /** Nothing: the attempt failed on our side. */
  | "none";

const unwellStatuses = new Set([408, 429]);

export function verdictOf({ status, failure }: Pick<Attempt, "status" | "failure">): Verdict {
  if (failure === undefined) return "acknowledged";
  if (failure === "internal_error" || failure === "request_too_large" || failure === "aborted") return "none";
  if (status === undefined || status >= 500 || unwellStatuses.has(status)) return "unwell";
  return status === 410 ? "gone" : "refused";
}

export interface JudgedAttempt {
  verdict: Verdict;
  /** The one attempt after a pause. */
  isProbe: boolean;
  retryAfterMs?: number | undefined;
  at: Date;
}

const closed = { consecutive_failures: 0, breaker_pauses: 0, breaker_open_until: null };

/**
 * The endpoint's health after one more attempt (D-72, D-73). Disabling is for a person to undo.
 *
 * @param random from 0 up to 1
 */
export function afterAttempt(
  health: EndpointHealth,
  attempt: JudgedAttempt,
  policy: BreakerPolicy,
  random: number,
): EndpointHealth {
  const { verdict, at } = attempt;
  if (verdict === "none") return health;
  if (verdict === "acknowledged") return { ...health, ...closed, failing_since: null, last_failed_at: null };
  const failing = { ...health, failing_since: failingSince(health, at, policy), last_failed_at: at };
  // Whoever refuses is up: holding everything else back would help nobody.
  const next = verdict === "unwell" ? afterFailure(failing, attempt, policy, random) : { ...failing, ...closed };
  if (next.disabled_at !== null) return next;
  if (verdict === "gone") return { ...next, disabled_at: at, disabled_because: "gone" };
  const isFailingForLong = at.getTime() - failing.failing_since.getTime() >= policy.disableAfterMs;
  return isFailingForLong ? { ...next, disabled_at: at, disabled_because: "failing" } : next;
}

/** Between failures that are far apart nothing says that it failed: nobody asked it. */
function failingSince(health: EndpointHealth, at: Date, policy: BreakerPolicy): Date {
  const { failing_since: since, last_failed_at: last } = health;
  const goesOn = last !== null && at.getTime() - last.getTime() <= policy.longestGapMs;
  return goesOn && since !== null ? since : at;
}

function afterFailure(
  health: EndpointHealth,
  { isProbe, retryAfterMs, at }: JudgedAttempt,
  policy: BreakerPolicy,
  random: number,
): EndpointHealth {
  const failures = health.consecutive_failures + 1;
  const isOpen = health.breaker_open_until !== null;
  // Attempts that were under way when it opened do not make the pause longer.
  if (isOpen ? !isProbe : failures < policy.failures) return { ...health, consecutive_failures: failures };
  const pauses = health.breaker_pauses + 1;
  const pauseMs = breakerPauseMs(policy, { number: pauses, retryAfterMs }, random);
  const until = new Date(at.getTime() + pauseMs);
  return { ...health, consecutive_failures: failures, breaker_pauses: pauses, breaker_open_until: until };
}
