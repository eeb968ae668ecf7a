import { RateLimiterMemory } from "rate-limiter-flexible";
import { networkOf } from "../http/network-of.ts";
import { consume } from "./consume.ts";

/** At most `count` requests in each fixed window of `seconds`. */
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

/** @param perKey undefined for no limits */
export function rateLimits(perKey: RateLimit | undefined): RateLimits {
  if (perKey === undefined) return { countWrongKey: async () => undefined, countRequest: async () => undefined };
  const keys = new RateLimiterMemory({ points: perKey.count, duration: perKey.seconds });
  /** Missing and invalid keys from one network. */
  const wrongKeys = new RateLimiterMemory({ points: 60, duration: 60 });
  return {
    countWrongKey: (address) => consume(wrongKeys, networkOf(address), "Too many requests came with wrong keys"),
    countRequest: (keyHash) => consume(keys, keyHash, "Too many requests came with this key"),
  };
}
