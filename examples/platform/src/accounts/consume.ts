import { type RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { type LimitCode, tooManyRequests } from "./too-many-requests.ts";

/**
 * Counts one request of a key.
 *
 * @param what there was too much of, for the problem's text
 * @throws {ProblemError} `code`, by default `rate_limited`
 */
export async function consume(limiter: RateLimiterMemory, key: string, what: string, code?: LimitCode): Promise<void> {
  await limiter.consume(key).catch((error: unknown) => {
    throw error instanceof RateLimiterRes ? tooManyRequests(what, error.msBeforeNext / 1_000, code) : error;
  });
}
