import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimit } from "./rate-limits.ts";
import { tooManyRequests } from "./too-many-requests.ts";

/**
 * What a request of somebody signed in is counted as; each has a budget of its own. `live`, `stream` and `image` are what a
 * browser asks for by itself: they leave a person's own reads alone.
 */
export type PersonUse = "read" | "act" | "live" | "stream" | "image";

/**
 * How often somebody signed in may ask (D-91), by session token and on pages alike. Counted in this process, as for API keys
 * (D-54); only what leaves the platform for good, the contacts, is counted in the store.
 */
export interface PersonLimits {
  /**
   * @param person such as `worker_id worker_amal`
   * @throws {ProblemError} `rate_limited`
   */
  count(person: string, use: PersonUse): Promise<void>;
  /** How many contacts a worker may add in an hour, in all processes; undefined for any number. */
  contactsPerHour: number | undefined;
}

/** Of what acts: a fraction of the reads. A person does not decide sixty times a minute; a script does. */
const actsPerRead = 1 / 10;

/** Each is a webhook at somebody else's endpoint, and shares the same thing as the one before it. */
const contactsPerHour = 20;

/** @param reads undefined for no limits at all */
export function personLimits(reads: RateLimit | undefined): PersonLimits {
  if (reads === undefined) return { count: async () => undefined, contactsPerHour: undefined };
  const { count: points, seconds: duration } = reads;
  const limiter = new RateLimiterMemory({ points, duration });
  const acts = new RateLimiterMemory({ points: Math.max(1, Math.floor(points * actsPerRead)), duration });
  return {
    async count(person, use) {
      await (use === "act" ? acts : limiter).consume(`${use} ${person}`).catch((error: unknown) => {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw tooManyRequests("Too many requests came from you", error.msBeforeNext / 1_000);
      });
    },
    contactsPerHour,
  };
}
