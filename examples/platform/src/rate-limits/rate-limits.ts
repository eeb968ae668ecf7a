import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { networkOf } from "../http/network-of.ts";
import { ProblemError } from "../problem/problem-error.ts";

/** At most `count` requests in each window of `seconds`. */
export interface RateLimit {
  count: number;
  seconds: number;
}

/**
 * Rate limit per API key (D-54). Counted in each process, so n processes allow n times as much: counting in the database
 * would turn every read into a write.
 *
 * @throws {ProblemError} `rate_limited` from both methods
 */
export interface RateLimits {
  /** Counts a missing or invalid key. Does not limit valid keys from the same address. */
  countWrongKey(address: string): Promise<void>;
  /** Counts a request with a valid key. */
  countRequest(keyHash: string): Promise<void>;
}

/** Missing and invalid keys from one network. */
const wrongKeys: RateLimit = { count: 60, seconds: 60 };

const nothing = async (): Promise<void> => undefined;

/** @param perKey undefined for no limits */
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
