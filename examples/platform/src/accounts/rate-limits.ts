import { printRateLimit } from "@offers/contract/rate-limit";
import ipaddr from "ipaddr.js";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ProblemError } from "../http/problem.ts";

/** At most `count` requests in each fixed window of `seconds`. */
interface RateLimit {
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
  /** Counts a request with a valid key. @returns the response's headers with the number left; empty without a limit */
  countRequest(keyHash: string): Promise<Record<string, string>>;
}

/** @param perKey undefined for no limits */
export function rateLimits(perKey: RateLimit | undefined): RateLimits {
  if (perKey === undefined) return { countWrongKey: async () => undefined, countRequest: async () => ({}) };
  const keys = new RateLimiterMemory({ points: perKey.count, duration: perKey.seconds });
  /** Missing and invalid keys from one network. */
  const wrongKeys = new RateLimiterMemory({ points: 60, duration: 60 });
  return {
    countWrongKey: (address) => consume(wrongKeys, networkOf(address), "Too many requests came with wrong keys"),
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
        const { message, headers } = tooManyRequests(
          "Too many requests came with this key",
          error.msBeforeNext / 1_000,
        );
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

/**
 * Counts one request of a key.
 *
 * @param what the counted thing, for the problem's title
 * @throws {ProblemError} `code`, by default `rate_limited`
 */
export async function consume(limiter: RateLimiterMemory, key: string, what: string, code?: LimitCode): Promise<void> {
  await limiter.consume(key).catch((error: unknown) => {
    throw error instanceof RateLimiterRes ? tooManyRequests(what, error.msBeforeNext / 1_000, code) : error;
  });
}

type LimitCode = "rate_limited" | "too_many_sign_ins";

/**
 * A request over a rate limit (RFC 6585, 4). It had no effect. `Retry-After` is for programs, the message for people.
 */
export function tooManyRequests(what: string, seconds: number, code: LimitCode = "rate_limited"): ProblemError {
  const wait = Math.max(1, Math.ceil(seconds));
  return new ProblemError(code, `${what}. Nothing was changed. Try again in ${inWords(wait)}.`, {
    headers: { "Retry-After": String(wait) },
  });
}

/** Rounded up, so that a retry after this time succeeds. */
function inWords(seconds: number): string {
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

/** An address in brackets, with a port, or both: Azure Application Gateway writes a port into `X-Forwarded-For`. */
const withPort = /^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/;

/**
 * The network by which an address is rate limited: an IPv4 address itself, the /64 prefix of an IPv6 address, since a
 * subscriber usually has a whole /64 (RFC 6177). Everything that is not an address shares one.
 */
export function networkOf(address: string): string {
  const [, ipv6, ipv4] = withPort.exec(address) ?? [];
  const bare = ipv6 ?? ipv4 ?? address;
  if (!ipaddr.isValid(bare)) return "unknown";
  const parsed = ipaddr.process(bare);
  return parsed.kind() === "ipv6" ? parsed.toByteArray().slice(0, 8).join(".") : parsed.toString();
}
