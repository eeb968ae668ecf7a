/**
 * How much of a quota is left after a response, from the `RateLimit` and `RateLimit-Policy` header fields (IETF draft
 * ratelimit-headers-11). If there are several quotas, this is the quota with the fewest requests left.
 *
 * @example
 * ```ts
 * import type { RateLimit } from "@offers/client";
 *
 * export const pauseMs = ({ remaining, resetAfterMs = 1_000 }: RateLimit): number =>
 *   remaining > 0 ? resetAfterMs / remaining : resetAfterMs;
 * ```
 */
export interface RateLimit {
  /** The service's name for the quota. */
  readonly policy: string;
  /** How many more requests the service accepts in this window. */
  readonly remaining: number;
  /** Milliseconds until the quota is renewed; undefined if the service does not report it. */
  readonly resetAfterMs: number | undefined;
  /** How many requests the service accepts in a window; undefined if the service does not report it. */
  readonly limit: number | undefined;
  /** The length of a window in milliseconds; undefined if the service does not report it. */
  readonly windowMs: number | undefined;
}

/**
 * Parses `RateLimit` and `RateLimit-Policy`. If there are several quotas, returns the quota with the fewest requests left.
 *
 * @param getHeader returns the value of the header with this lower-case name
 * @returns undefined if the response does not contain the number of remaining requests
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function readRateLimit(getHeader: (name: string) => string | null | undefined): RateLimit | undefined {
  const [tightest] = parseQuotas(getHeader("ratelimit"))
    .filter((quota) => quota.r >= 0)
    .sort((a, b) => a.r - b.r);
  if (!tightest) return undefined;
  const policy = parseQuotas(getHeader("ratelimit-policy")).find(({ name }) => name === tightest.name);
  return {
    policy: tightest.name,
    remaining: tightest.r,
    resetAfterMs: toMs(tightest.t),
    limit: policy?.q,
    windowMs: toMs(policy?.w),
  };
}

/** Formats a quota as the two header fields, by name. Rounds seconds up, so that a client that waits that long is not too early. */
export const formatRateLimit = ({ policy, remaining, resetAfterMs = 0, limit = 0, windowMs = 0 }: RateLimit) => ({
  RateLimit: `"${policy}";r=${remaining};t=${Math.ceil(resetAfterMs / 1_000)}`,
  "RateLimit-Policy": `"${policy}";q=${limit};w=${Math.ceil(windowMs / 1_000)}`,
});

const toMs = (seconds: number | undefined): number | undefined => (seconds === undefined ? undefined : seconds * 1_000);

interface Quota {
  readonly name: string;
  /** The number of remaining requests; -1 if the field does not contain it. */
  readonly r: number;
  /** Seconds until the quota is renewed. */
  readonly t?: number;
  /** The number of requests in a window. */
  readonly q?: number;
  /** The length of the window, in seconds. */
  readonly w?: number;
}

/** Parses `"name";key=number;…, "name";…` (RFC 9651). Ignores parameters that are not integers. */
const parseQuotas = (field: string | null | undefined): Quota[] =>
  (field ?? "").split(",").map((item) => {
    const numbers = [...item.matchAll(/;\s*(\w)=(\d+)\s*(?=;|$)/g)].map(([, key, value]) => [key, Number(value)]);
    return { name: item.replace(/;.*|["\s]/g, ""), r: -1, ...Object.fromEntries(numbers) };
  });
