import ipaddr from "ipaddr.js";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
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
  /** Before a key is looked up. A key in use passes: those who guess from the same address do not lock it out. */
  checkAddress(address: string, keyHash: string): Promise<void>;
  countWrongKey(address: string): Promise<void>;
  countRequest(keyHash: string): Promise<void>;
}

/** Wrong and missing keys from one address. */
const wrongKeys: RateLimit = { count: 60, seconds: 60 };

const nothing = async (): Promise<void> => undefined;

/** @param perKey undefined for no limits at all */
export function rateLimits(perKey: RateLimit | undefined): RateLimits {
  if (perKey === undefined) return { checkAddress: nothing, countWrongKey: nothing, countRequest: nothing };
  const keys = new RateLimiterMemory({ points: perKey.count, duration: perKey.seconds });
  const addresses = new RateLimiterMemory({ points: wrongKeys.count, duration: wrongKeys.seconds });
  return {
    async checkAddress(address, keyHash) {
      const wrong = await current(addresses, networkOf(address));
      if (wrong === undefined || wrong.remainingPoints > 0) return;
      if ((await current(keys, keyHash)) === undefined) throw tooMany(wrong, "with wrong keys");
    },
    countWrongKey: (address) => count(addresses, networkOf(address), "with wrong keys"),
    countRequest: (keyHash) => count(keys, keyHash, "with this key"),
  };
}

/** What is counted of a window that has not ended. */
async function current(limiter: RateLimiterMemory, key: string): Promise<RateLimiterRes | undefined> {
  const counted = await limiter.get(key);
  return counted !== null && counted.msBeforeNext > 0 ? counted : undefined;
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

/** Whoever has one address of version 6 has the 2^64 beside it too. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv6" ? parsed.toByteArray().slice(0, 8).join(".") : parsed.toString();
}
