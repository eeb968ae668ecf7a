/**
 * Parses `Retry-After`: seconds, or an HTTP date in any of its three forms.
 *
 * @param header undefined, null or a list where the response has none or several
 * @param now Unix milliseconds
 * @param date the response's own `Date`, for a `Retry-After` that is a date: the same clock has written both
 * @returns milliseconds to wait, not negative; undefined when the header is invalid
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
 */
export function retryAfterMs(
  header: string | readonly string[] | null | undefined,
  now: number,
  date?: string | readonly string[] | null,
): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1_000, Number.MAX_SAFE_INTEGER);
  const instant = parseHttpDate(header);
  const respondedAt = typeof date === "string" ? parseHttpDate(date) : Number.NaN;
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - (Number.isNaN(respondedAt) ? now : respondedAt));
}

/** NaN for anything else. Date.parse accepts almost anything; an HTTP date ends in GMT, or has the form of asctime, in UTC too. */
const parseHttpDate = (text: string): number =>
  Date.parse(asctime.test(text) ? `${text} GMT` : text.endsWith(" GMT") ? text : "");

/** `Sun Nov  6 08:49:37 1994` */
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;
