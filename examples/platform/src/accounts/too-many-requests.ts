import { ProblemError } from "../http/problem-error.ts";

export type LimitCode = "rate_limited" | "too_many_sign_ins";

/**
 * A request over a rate limit (RFC 6585, 4). It had no effect. `Retry-After` is for programs, the text for people.
 */
export function tooManyRequests(what: string, seconds: number, code: LimitCode = "rate_limited"): ProblemError {
  const wait = Math.max(1, Math.ceil(seconds));
  return new ProblemError(code, `${what}. Nothing was changed. Try again in ${inWords(wait)}.`, {
    headers: { "Retry-After": String(wait) },
  });
}

/** Rounded up, so that a retry after this time succeeds. */
function inWords(seconds: number): string {
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}
