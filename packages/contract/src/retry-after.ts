import { parseHttpDate } from "./http-date.ts";

/**
 * Parses a `Retry-After` header, which contains seconds or an HTTP date. Some services send seconds with a fraction, such as `3.0`, which
 * the RFC does not allow (D-156).
 *
 * @param header undefined or null if the response has no such header, a list if it has several
 * @param now Unix milliseconds
 * @param date the `Date` header of the same response. A date in `Retry-After` is compared with it, because both come from the same clock
 * @returns how many milliseconds to wait, at least 0; undefined if the header is invalid
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(
  header: string | readonly string[] | null | undefined,
  now: number,
  date?: string | readonly string[] | null,
): number | undefined {
  // Undefined, null and a list with several items have neither form.
  const text = String(header);
  // Without the limit, a header with hundreds of digits would result in Infinity.
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.round(Number(text) * 1_000), Number.MAX_SAFE_INTEGER);
  const retryAt = parseHttpDate(text);
  return retryAt === undefined ? undefined : Math.max(0, retryAt - (parseHttpDate(String(date)) ?? now));
}
