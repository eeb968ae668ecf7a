import { RateLimiterMemory } from "rate-limiter-flexible";
import { consume } from "./consume.ts";
import type { RateLimit } from "./rate-limits.ts";

/**
 * The kind of an authenticated request; each kind has its own limit. Browsers send `live`, `stream` and `image` on their own,
 * so these do not count as reads.
 */
export type PersonUse = "read" | "act" | "live" | "stream" | "image";

/**
 * Rate limits per person and worker (D-91), for JSON routes and pages together. Counted in each process, as for API keys
 * (D-54); only contacts, which become webhooks, are counted in the store.
 */
export interface PersonLimits {
  /**
   * @param person such as `worker_id worker_amal`
   * @throws {ProblemError} `rate_limited`
   */
  count(person: string, use: PersonUse): Promise<void>;
  /** Contacts that a worker may add per hour, over all processes; undefined for no limit. */
  contactsPerHour: number | undefined;
}

/** Writes per read. People do not decide sixty times a minute; scripts do. */
const actsPerRead = 1 / 10;

/** Every contact is a webhook to another organisation, and repeats add no information. */
const contactsPerHour = 20;

/** @param reads undefined for no limits */
export function personLimits(reads: RateLimit | undefined): PersonLimits {
  if (reads === undefined) return { count: async () => undefined, contactsPerHour: undefined };
  const { count: points, seconds: duration } = reads;
  const limiter = new RateLimiterMemory({ points, duration });
  const acts = new RateLimiterMemory({ points: Math.max(1, Math.floor(points * actsPerRead)), duration });
  return {
    count: (person, use) =>
      consume(use === "act" ? acts : limiter, `${use} ${person}`, "Too many requests came from you"),
    contactsPerHour,
  };
}
