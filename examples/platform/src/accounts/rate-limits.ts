import { printRateLimit } from "@offers/contract/rate-limit";
import ipaddr from "ipaddr.js";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ProblemError } from "../http/problem.ts";

/** Allows `count` requests in each fixed window of `seconds`. */
interface RateLimit {
  count: number;
  seconds: number;
}

/**
 * Enforces the rate limit per API key (D-54). Each process counts separately, so n processes allow n times as many requests:
 * counting in the database would turn every read into a write.
 *
 * @throws {ProblemError} `rate_limited` from both methods
 */
export interface RateLimits {
  /** Counts a request with a missing or invalid key. Does not limit valid keys from the same address. */
  countInvalidKey(address: string): Promise<void>;
  /** Counts a request with a valid key. @returns response headers with the remaining number of requests; empty without a limit */
  countRequest(keyHash: string): Promise<Record<string, string>>;
}

/** @param perKey undefined for no limits */
export function rateLimits(perKey: RateLimit | undefined): RateLimits {
  if (perKey === undefined) return { countInvalidKey: async () => undefined, countRequest: async () => ({}) };
  const keys = new RateLimiterMemory({ points: perKey.count, duration: perKey.seconds });
  /** Counts requests with missing or invalid keys, per network. */
  const invalidKeys = new RateLimiterMemory({ points: 60, duration: 60 });
  return {
    countInvalidKey: (address) => consume(invalidKeys, networkOf(address), "Too many requests with invalid keys"),
    async countRequest(keyHash) {
      const fieldsOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes) =>
        printRateLimit({
          policy: "key",
          remaining: remainingPoints,
          resetAfterMs: msBeforeNext,
          limit: perKey.count,
          windowMs: perKey.seconds * 1_000,
        });
      try {
        return fieldsOf(await keys.consume(keyHash));
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        const { message, headers } = tooManyRequests("Too many requests with this key", error.msBeforeNext / 1_000);
        throw new ProblemError("rate_limited", message, { headers: { ...headers, ...fieldsOf(error) } });
      }
    },
  };
}

/**
 * The kind of an authenticated request; each kind has its own limit. Browsers send `live`, `stream` and `image` on their own,
 * so these do not count as reads.
 */
export type PersonUse = "read" | "act" | "live" | "stream" | "image";

/**
 * Enforces rate limits for each user and each worker (D-91), shared by JSON routes and pages. Each process counts separately, as for API
 * keys (D-54), except for contacts: each one sends a webhook, so they are counted in the store.
 */
export interface PersonLimits {
  /**
   * @param person the id's column and value, separated by a space: `worker_id worker_amal`
   * @throws {ProblemError} `rate_limited`
   */
  count(person: string, use: PersonUse): Promise<void>;
  /** Contacts that a worker may add per hour, across all processes; undefined for no limit. */
  contactsPerHour: number | undefined;
}

/** The ratio of writes to reads in the limits: only a script decides sixty times a minute. */
const actsPerRead = 1 / 10;

/** A low limit: every contact sends a webhook to another organisation, and repeats add no information. */
const contactsPerHour = 20;

/** @param reads undefined for no limits */
export function personLimits(reads: RateLimit | undefined): PersonLimits {
  if (reads === undefined) return { count: async () => undefined, contactsPerHour: undefined };
  const { count: points, seconds: duration } = reads;
  const limiter = new RateLimiterMemory({ points, duration });
  const acts = new RateLimiterMemory({ points: Math.max(1, Math.floor(points * actsPerRead)), duration });
  return {
    count: (person, use) =>
      consume(use === "act" ? acts : limiter, `${use} ${person}`, "You have sent too many requests"),
    contactsPerHour,
  };
}

/**
 * Counts one request for a key.
 *
 * @param what which limit was exceeded; starts the message, as in `Too many requests with this key`
 * @throws {ProblemError} `code`, by default `rate_limited`
 */
export async function consume(limiter: RateLimiterMemory, key: string, what: string, code?: LimitCode): Promise<void> {
  await limiter.consume(key).catch((error: unknown) => {
    throw error instanceof RateLimiterRes ? tooManyRequests(what, error.msBeforeNext / 1_000, code) : error;
  });
}

type LimitCode = "rate_limited" | "too_many_sign_ins";

/**
 * Creates the error for a request over a rate limit (RFC 6585, 4), which had no effect. `Retry-After` is for programs, the message for
 * people.
 */
export function tooManyRequests(what: string, seconds: number, code: LimitCode = "rate_limited"): ProblemError {
  const wait = Math.max(1, Math.ceil(seconds));
  return new ProblemError(code, `${what}. Nothing was changed. Try again in ${formatDuration(wait)}.`, {
    headers: { "Retry-After": String(wait) },
  });
}

/** Formats a duration, rounded up so that a retry after this time succeeds. */
function formatDuration(seconds: number): string {
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

/** Matches an address in brackets, with a port, or both: Azure Application Gateway adds a port to `X-Forwarded-For`. */
const withPort = /^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/;

/**
 * Returns the network that an address is rate limited by: an IPv4 address itself, the /64 prefix of an IPv6 address, since a
 * subscriber usually has a whole /64 (RFC 6177). All strings that are not addresses share one network.
 */
export function networkOf(address: string): string {
  const [, ipv6, ipv4] = withPort.exec(address) ?? [];
  const bare = ipv6 ?? ipv4 ?? address;
  if (!ipaddr.isValid(bare)) return "unknown";
  const parsed = ipaddr.process(bare);
  return parsed.kind() === "ipv6" ? parsed.toByteArray().slice(0, 8).join(".") : parsed.toString();
}
