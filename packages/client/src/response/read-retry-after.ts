/** Parses a Retry-After header, seconds or an HTTP date, as milliseconds from now. Undefined for anything else. */
export function readRetryAfter(value: string, now = Date.now()): number | undefined {
  // Date.parse accepts almost any text; an HTTP date ends with GMT.
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : /GMT$/.test(value) ? Date.parse(value) - now : Number.NaN;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
