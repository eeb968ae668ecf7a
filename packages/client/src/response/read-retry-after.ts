/** The wait that a Retry-After header asks for, in milliseconds: seconds or an HTTP date. Undefined for anything else. */
export function readRetryAfter(value: string, now = Date.now()): number | undefined {
  // Date.parse takes nearly any words for a date; an HTTP date ends with GMT.
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : /GMT$/.test(value) ? Date.parse(value) - now : Number.NaN;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
