import type { DisabledBecause } from "../store/tables.ts";
import type { Attempt } from "./attempt-delivery.ts";
import { type BreakerPolicy, breakerPauseMs } from "./breaker-policy.ts";

/** What the attempts at an endpoint say about it; the columns of `EndpointTable`. */
export interface EndpointHealth {
  consecutiveFailures: number;
  failingSince: Date | null;
  lastFailedAt: Date | null;
  breakerPauses: number;
  breakerOpenUntil: Date | null;
  disabledAt: Date | null;
  disabledBecause: DisabledBecause | null;
}

export const healthy: EndpointHealth = {
  consecutiveFailures: 0,
  failingSince: null,
  lastFailedAt: null,
  breakerPauses: 0,
  breakerOpenUntil: null,
  disabledAt: null,
  disabledBecause: null,
};

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

const closed = { consecutiveFailures: 0, breakerPauses: 0, breakerOpenUntil: null };

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
  if (verdict === "acknowledged") return { ...health, ...closed, failingSince: null, lastFailedAt: null };
  const failing = { ...health, failingSince: failingSince(health, at, policy), lastFailedAt: at };
  // Whoever refuses is up: holding everything else back would help nobody.
  const next = verdict === "unwell" ? afterFailure(failing, attempt, policy, random) : { ...failing, ...closed };
  if (next.disabledAt !== null) return next;
  if (verdict === "gone") return { ...next, disabledAt: at, disabledBecause: "gone" };
  const isFailingForLong = at.getTime() - failing.failingSince.getTime() >= policy.disableAfterMs;
  return isFailingForLong ? { ...next, disabledAt: at, disabledBecause: "failing" } : next;
}

/** Between failures that are far apart nothing says that it failed: nobody asked it. */
function failingSince({ failingSince: since, lastFailedAt }: EndpointHealth, at: Date, policy: BreakerPolicy): Date {
  const goesOn = lastFailedAt !== null && at.getTime() - lastFailedAt.getTime() <= policy.longestGapMs;
  return goesOn && since !== null ? since : at;
}

function afterFailure(
  health: EndpointHealth,
  { isProbe, retryAfterMs, at }: JudgedAttempt,
  policy: BreakerPolicy,
  random: number,
): EndpointHealth {
  const consecutiveFailures = health.consecutiveFailures + 1;
  const isOpen = health.breakerOpenUntil !== null;
  // Attempts that were under way when it opened do not make the pause longer.
  if (isOpen ? !isProbe : consecutiveFailures < policy.failures) return { ...health, consecutiveFailures };
  const breakerPauses = health.breakerPauses + 1;
  const pauseMs = breakerPauseMs(policy, { number: breakerPauses, retryAfterMs }, random);
  return { ...health, consecutiveFailures, breakerPauses, breakerOpenUntil: new Date(at.getTime() + pauseMs) };
}
