/**
 * What a `Retry-After` header asks for: seconds, or an HTTP date.
 *
 * @param now Unix milliseconds
 * @returns milliseconds to wait, not negative; undefined when the header makes no sense
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d{1,10}$/.test(header)) return Number(header) * 1_000;
  // Date.parse takes almost anything; an HTTP date names its zone.
  const date = header.endsWith(" GMT") ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
