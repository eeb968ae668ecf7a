import { ProblemError } from "../problem/problem-error.ts";

/**
 * A request beyond a limit (RFC 6585, 4). It had no effect; the time to come back is in `Retry-After` for programs, and in
 * words for people.
 */
export function tooManyRequests(what: string, seconds: number): ProblemError {
  const wait = Math.max(1, Math.ceil(seconds));
  return new ProblemError("rate_limited", `${what}. Nothing was changed. Try again in ${inWords(wait)}.`, {
    headers: { "Retry-After": String(wait) },
  });
}

/** Never less than it is: whoever comes back too soon waits again. */
function inWords(seconds: number): string {
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}
