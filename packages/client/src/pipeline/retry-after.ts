/** The wait that a Retry-After header asks for, in milliseconds: seconds or an HTTP date. Undefined for anything else. */
export function readRetryAfter(value: string | null, now = Date.now()): number | undefined {
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Date.parse takes nearly any words for a date; an HTTP date ends with GMT.
  const waitMs = Date.parse(/GMT$/.test(value) ? value : "") - now;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
