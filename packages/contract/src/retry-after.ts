import { readHttpDate } from "./http-date.ts";

/**
 * Parses `Retry-After`: seconds, or an HTTP date.
 *
 * @param header undefined or null if the response has no such header, a list if it has several
 * @param now Unix milliseconds
 * @param date the response's own `Date`, for a `Retry-After` that is a date: both come from the same clock
 * @returns milliseconds to wait, not negative; undefined if the header is invalid
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(
  header: string | readonly string[] | null | undefined,
  now: number,
  date?: string | readonly string[] | null,
): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1_000, Number.MAX_SAFE_INTEGER);
  const instant = readHttpDate(header);
  const respondedAt = typeof date === "string" ? readHttpDate(date) : undefined;
  return instant === undefined ? undefined : Math.max(0, instant - (respondedAt ?? now));
}
