import { type RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { tooManyRequests } from "./too-many-requests.ts";

/**
 * Counts one request of a key.
 *
 * @param what says in the problem what there was too much of
 * @throws {ProblemError} `rate_limited`, or another code of status 429
 */
export async function consume(
  limiter: RateLimiterMemory,
  key: string,
  what: string,
  code?: "too_many_sign_ins",
): Promise<void> {
  await limiter.consume(key).catch((error: unknown) => {
    throw error instanceof RateLimiterRes ? tooManyRequests(what, error.msBeforeNext / 1_000, code) : error;
  });
}
