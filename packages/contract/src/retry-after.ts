/**
 * Parses `Retry-After`: seconds, or an HTTP date in any of its three forms.
 *
 * @param header undefined, null or a list where the response has none or several
 * @param now Unix milliseconds
 * @returns milliseconds to wait, not negative; undefined when the header is invalid
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
 */
export function retryAfterMs(header: string | readonly string[] | null | undefined, now: number): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1_000, Number.MAX_SAFE_INTEGER);
  // Date.parse accepts almost anything. An HTTP date ends in GMT, or has the form of asctime, which is in UTC too.
  const date = Date.parse(asctime.test(header) ? `${header} GMT` : header.endsWith(" GMT") ? header : "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** `Sun Nov  6 08:49:37 1994` */
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;
