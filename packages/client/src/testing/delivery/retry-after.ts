/**
 * What a `Retry-After` header asks for: seconds, or an HTTP date (RFC 9110, sections 10.2.3 and 5.6.7).
 *
 * @param now Unix milliseconds
 * @returns milliseconds, not negative; undefined for a header that is neither
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1_000, Number.MAX_SAFE_INTEGER);
  // Date.parse reads almost anything. An HTTP date ends with GMT, or has the form of asctime, which is UTC too.
  const date = Date.parse(asctime.test(header) ? `${header} GMT` : header.endsWith(" GMT") ? header : "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** `Sun Nov  6 08:49:37 1994` */
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;
