import { formatRateLimit } from "@offers/contract/rate-limit";
import ipaddr from "ipaddr.js";
import { CompiledQuery } from "kysely";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { ProblemError } from "../http/problem.ts";
import type { Store } from "../store/store.ts";

/** Allows `count` requests in each fixed window of `seconds`. */
interface RateLimit {
  count: number;
  seconds: number;
}

/** Creates a limiter. @param name the start of its keys, which distinguishes them from those of other limiters */
export type CreateLimiter = (name: string, limit: RateLimit) => RateLimiterAbstract;

/** Counts in this process. For limits on every request, because counting each of them in the store would cost a statement (D-159). */
export const limitInMemory: CreateLimiter = (keyPrefix, { count: points, seconds: duration }) =>
  new RateLimiterMemory({ keyPrefix, points, duration });

/** Counts in the store, for all processes. If the store is unavailable, nothing is allowed (D-159). */
export const limitInStore =
  ({ db }: Pick<Store, "db">): CreateLimiter =>
  (keyPrefix, { count: points, seconds: duration }) =>
    new RateLimiterPostgres({
      // Leave out the statement's name, because a pooler in transaction mode may not support prepared statements.
      storeClient: {
        query: ({ text, values }: { text: string; values: unknown[] }) =>
          db.executeQuery(CompiledQuery.raw(text, values)),
      },
      storeType: "client",
      tableName: "rate_limits",
      tableCreated: true,
      // Retention deletes expired rows.
      clearExpiredByTimeout: false,
      keyPrefix,
      points,
      duration,
      // Rejects further requests in this window without a statement. A reward does not end the block, so it must not start earlier.
      inMemoryBlockOnConsumed: points + 1,
    });

/**
 * Applies the rate limit per API key and, for invalid keys, per network (D-54). Each process counts requests with valid keys
 * separately, so n processes allow n times as many.
 *
 * @throws {ProblemError} `rate_limited` from both methods
 */
export interface RateLimits {
  /** Counts a request with a missing or invalid key. Does not limit requests with valid keys from the same address. */
  countInvalidKey(address: string): Promise<void>;
  /** Counts a request with a valid key. @returns response headers with the remaining number of requests; empty if there is no limit */
  countRequest(keyHash: string): Promise<Record<string, string>>;
}

/** Creates the rate limits for the API. @param limitPerKey undefined for no limits */
export function createRateLimits(store: Pick<Store, "db">, limitPerKey: RateLimit | undefined): RateLimits {
  if (limitPerKey === undefined) return { countInvalidKey: async () => undefined, countRequest: async () => ({}) };
  const keyLimiter = limitInMemory("key", limitPerKey);
  /** Counts requests with missing or invalid keys, per network. */
  const invalidKeyLimiter = limitInStore(store)("invalid key", { count: 60, seconds: 60 });
  return {
    countInvalidKey: (address) => consume(invalidKeyLimiter, toNetwork(address), "Too many requests with invalid keys"),
    async countRequest(keyHash) {
      const toHeaders = ({ remainingPoints, msBeforeNext }: RateLimiterRes) =>
        formatRateLimit({
          policy: "key",
          remaining: remainingPoints,
          resetAfterMs: msBeforeNext,
          limit: limitPerKey.count,
          windowMs: limitPerKey.seconds * 1_000,
        });
      try {
        return toHeaders(await keyLimiter.consume(keyHash));
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        const { message, headers } = tooManyRequests("Too many requests with this key", error.msBeforeNext / 1_000);
        throw new ProblemError("rate_limited", message, { headers: { ...headers, ...toHeaders(error) } });
      }
    },
  };
}

/**
 * The kind of an authenticated request. Each kind has its own limit. `live`, `stream` and `image` do not count as reads, because
 * browsers send them automatically.
 */
export type PersonUse = "read" | "act" | "live" | "stream" | "image";

/**
 * Applies the rate limits per user and per worker (D-91), which JSON routes and pages share. Each process counts separately, as for
 * API keys (D-54). Only contacts are counted in the store, because each one sends a webhook.
 */
export interface PersonLimits {
  /**
   * Counts a request.
   *
   * @param person the column and the value of the id, separated by a space: `worker_id worker_amal`
   * @throws {ProblemError} `rate_limited`
   */
  count(person: string, use: PersonUse): Promise<void>;
  /** How many contacts a worker may add per hour, across all processes; undefined for no limit. */
  contactsPerHour: number | undefined;
}

/** The limit for writes as a fraction of the limit for reads. Only a script would make sixty decisions a minute. */
const writesPerRead = 1 / 10;

/**
 * How many contacts a worker may add per hour. The limit is low, because every contact sends a webhook to an organisation, even if the
 * organisation has already received the same contact.
 */
const contactsPerHour = 20;

/** Creates the rate limits for users and workers. @param readLimit undefined for no limits */
export function createPersonLimits(readLimit: RateLimit | undefined): PersonLimits {
  if (readLimit === undefined) return { count: async () => undefined, contactsPerHour: undefined };
  const { count: points, seconds: duration } = readLimit;
  const readLimiter = limitInMemory("read", readLimit);
  const writeLimiter = limitInMemory("write", {
    count: Math.max(1, Math.floor(points * writesPerRead)),
    seconds: duration,
  });
  return {
    count: (person, use) =>
      consume(use === "act" ? writeLimiter : readLimiter, `${use} ${person}`, "You have sent too many requests"),
    contactsPerHour,
  };
}

/**
 * Counts one request for a key.
 *
 * @param reason the start of the error message, such as `Too many requests with this key`
 * @throws {ProblemError} `code`, by default `rate_limited`
 */
export async function consume(
  limiter: RateLimiterAbstract,
  key: string,
  reason: string,
  code?: LimitCode,
): Promise<void> {
  await limiter.consume(key).catch((error: unknown) => {
    throw error instanceof RateLimiterRes ? tooManyRequests(reason, error.msBeforeNext / 1_000, code) : error;
  });
}

type LimitCode = "rate_limited" | "too_many_sign_ins";

/**
 * Creates the error for a request that exceeds a rate limit and had no effect (RFC 6585, 4). Programs read `Retry-After`, and people
 * read the message.
 */
export function tooManyRequests(
  reason: string,
  retryAfterSeconds: number,
  code: LimitCode = "rate_limited",
): ProblemError {
  const waitSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  return new ProblemError(code, `${reason}. Nothing was changed. Try again in ${formatDuration(waitSeconds)}.`, {
    headers: { "Retry-After": String(waitSeconds) },
  });
}

/** Formats a duration, rounded up so that a retry after this time succeeds. */
function formatDuration(seconds: number): string {
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

/** Matches an address in brackets, with a port, or both. Azure Application Gateway adds a port to `X-Forwarded-For`. */
const addressWithPort = /^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/;

/**
 * Returns the network that rate limits count: the address itself for IPv4, or the /64 prefix for IPv6, because a subscriber usually has
 * a whole /64 (RFC 6177). All strings that are not addresses share one network.
 */
export function toNetwork(address: string): string {
  const [, ipv6, ipv4] = addressWithPort.exec(address) ?? [];
  const addressOnly = ipv6 ?? ipv4 ?? address;
  if (!ipaddr.isValid(addressOnly)) return "unknown";
  const parsed = ipaddr.process(addressOnly);
  return parsed.kind() === "ipv6" ? parsed.toByteArray().slice(0, 8).join(".") : parsed.toString();
}
