import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { networkOf } from "../http/network-of.ts";
import { ProblemError } from "../problem/problem-error.ts";

/** At most `count` requests in each window of `seconds`. */
export interface RateLimit {
  count: number;
  seconds: number;
}

/**
 * How often the API may be asked (D-54). Counted in this process: with several, each allows as much. Counting in the
 * database would make a write of every read.
 *
 * @throws {ProblemError} `rate_limited`, each of them
 */
export interface RateLimits {
  /** A request whose key is missing or wrong. Right keys have nothing to do with it, wherever they come from. */
  countWrongKey(address: string): Promise<void>;
  /** A request with a right key: its own limit is the only one. */
  countRequest(keyHash: string): Promise<void>;
}

/** Wrong and missing keys from one address. */
const wrongKeys: RateLimit = { count: 60, seconds: 60 };

const nothing = async (): Promise<void> => undefined;

/** @param perKey undefined for no limits at all */
export function rateLimits(perKey: RateLimit | undefined): RateLimits {
  if (perKey === undefined) return { countWrongKey: nothing, countRequest: nothing };
  const keys = new RateLimiterMemory({ points: perKey.count, duration: perKey.seconds });
  const addresses = new RateLimiterMemory({ points: wrongKeys.count, duration: wrongKeys.seconds });
  return {
    countWrongKey: (address) => count(addresses, networkOf(address), "with wrong keys"),
    countRequest: (keyHash) => count(keys, keyHash, "with this key"),
  };
}

async function count(limiter: RateLimiterMemory, key: string, what: string): Promise<void> {
  await limiter.consume(key).catch((error: unknown) => {
    throw error instanceof RateLimiterRes ? tooMany(error, what) : error;
  });
}

const tooMany = ({ msBeforeNext }: RateLimiterRes, what: string): ProblemError =>
  new ProblemError("rate_limited", `Too many requests came ${what}; wait for as long as Retry-After says.`, {
    headers: { "Retry-After": String(Math.max(1, Math.ceil(msBeforeNext / 1_000))) },
  });
