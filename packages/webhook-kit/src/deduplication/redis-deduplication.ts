import { randomUUID } from "node:crypto";
import { isBytes } from "@offers/contract/foreign-objects";
import { ConfigurationError } from "../errors/errors.ts";
import { rejectUnknownOptions } from "../errors/option-names.ts";
import { withTimeout } from "../http/timeouts.ts";
import type { AcquireResult, Deduplication } from "./deduplication.ts";

/**
 * A deduplication store in Redis, for several processes. Pass a connected client with an `error` listener, from `redis` (4 or newer:
 * client, pool, cluster, sentinel) or `ioredis` (client, cluster). Set `maxmemory-policy noeviction`: after an eviction a handler may run
 * again. Only hashes, tokens and statuses are stored; each expires by Redis' own clock.
 *
 * If Redis fails or times out, the response is 503 and the service retries.
 *
 * Redis replicates asynchronously. A failover, by a cluster or by sentinels, may lose the most recent records. Their events may then be
 * handled twice. If that is not acceptable, use the inbox from `/postgres`, `/mysql` or `/sqlite` in the handler, because it commits an
 * event's record together with your rows.
 *
 * @param options.prefix the start of every key (default `offers:deduplication:`). It must not contain braces, because the kit itself adds
 * the hash tag for Redis Cluster
 * @param options.timeoutMs how many milliseconds Redis may take to respond, from 1 to 60,000 (default 2,000)
 * @throws {ConfigurationError} `invalid_option` for an invalid client, prefix or timeout
 *
 * @example
 * ```ts
 * import { webhookRouter } from "@offers/webhook-kit/express";
 * import { redisDeduplication } from "@offers/webhook-kit/redis";
 * import { createClient } from "redis";
 *
 * const client = createClient({ url: "redis://127.0.0.1:6379" });
 * client.on("error", console.error);
 * await client.connect();
 *
 * webhookRouter({ secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52", deduplication: redisDeduplication(client) });
 * ```
 */
export function redisDeduplication(
  client: RedisClient,
  options: {
    /** The start of every key, without braces. @default "offers:deduplication:" */
    prefix?: string | undefined;
    /** How many milliseconds Redis may take to respond, from 1 to 60,000. @default 2_000 */
    timeoutMs?: number | undefined;
  } = {},
): Deduplication {
  rejectUnknownOptions("redisDeduplication", options, ["prefix", "timeoutMs"]);
  const { prefix = "offers:deduplication:", timeoutMs = 2_000 } = options;
  if (!isRedisClient(client))
    throw new ConfigurationError("invalid_option", "redisDeduplication takes a redis (4 or newer) or ioredis client.");
  // Upstash's eval takes different arguments and would fail on the first event.
  if ("autoPipeline" in client)
    throw new ConfigurationError(
      "invalid_option",
      "redisDeduplication does not support @upstash/redis clients. Connect redis or ioredis to the rediss:// URL of the same database.",
    );
  if (typeof prefix !== "string" || !/^[^{}]+$/.test(prefix))
    throw new ConfigurationError("invalid_option", "prefix must be a string without braces.");
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 60_000)
    throw new ConfigurationError("invalid_option", "timeoutMs must be an integer from 1 to 60000.");

  const runScript = (script: keyof typeof scripts, key: string, token: string, args: string[]): Promise<unknown> => {
    // The lease and the completed request have the same hash tag, so that Redis Cluster stores them in the same slot.
    const keyBase = `${prefix}{of:${parseSubject(token) ?? key}}`;
    return evaluate(client, scripts[script], [`${keyBase}:lease:${key}`, `${keyBase}:completed`], args);
  };
  const createTimeoutError = () => new Error(`Redis did not respond within ${timeoutMs} ms.`);
  const withRedisTimeout = (result: Promise<unknown>) =>
    withTimeout(result, timeoutMs, createTimeoutError, { unref: true });
  /** Accepts `stale` too, because a token that no longer holds its key has no effect. */
  const requireSettled = async (result: Promise<unknown>): Promise<void> => {
    if (!/^(settled|stale)$/.test(readText(await withRedisTimeout(result)))) throw new Error(unexpectedResult);
  };

  return {
    async acquire(key, { leaseMs, subject }) {
      const token = createToken(subject);
      const result = runScript("acquire", key, token, [key, token, formatMilliseconds("leaseMs", leaseMs, 1)]);
      try {
        return readResult(await withRedisTimeout(result), token);
      } catch (cause) {
        // Redis may acquire the key after the timeout, so release it instead of waiting for the lease to expire. If
        // the release fails, the lease still expires.
        const release = () => runScript("release", key, token, [token]);
        result.then(release, release).catch(() => undefined);
        throw cause;
      }
    },
    async complete(key, token, status, keepMs) {
      if (!Number.isInteger(status) || status < 100 || status > 999)
        throw new RangeError("status must be an HTTP status.");
      await requireSettled(
        runScript("complete", key, token, [key, token, String(status), formatMilliseconds("keepMs", keepMs, 0)]),
      );
    },
    async release(key, token) {
      await requireSettled(runScript("release", key, token, [token]));
    },
  };
}

/** Creates a token that contains the subject, because `complete` and `release` receive only the key and the token. */
const createToken = (subject: string | undefined): string =>
  subject === undefined ? randomUUID() : `${randomUUID()}.${subject}`;

function parseSubject(token: string): string | undefined {
  const end = token.indexOf(".");
  return end === -1 ? undefined : token.slice(end + 1);
}

/** Formats a duration for Redis, which requires whole milliseconds. Rounds up. */
function formatMilliseconds(name: string, value: number, min: number): string {
  const whole = Math.ceil(value);
  if (Number.isSafeInteger(whole) && whole >= min) return String(whole);
  throw new RangeError(`${name} must be a finite number of milliseconds, at least ${min}.`);
}

const unexpectedResult = "Unexpected response from Redis.";

/** Converts a result to a string, because a client may be configured to return buffers. */
function readText(result: unknown): string {
  if (isBytes(result)) return Buffer.from(result).toString();
  if (typeof result === "string") return result;
  throw new Error(unexpectedResult);
}

function readResult(result: unknown, token: string): AcquireResult {
  const [matched, retryAfterMs, status] =
    /^(?:acquired|inProgress (\d+)|completed (\d{3}))$/.exec(readText(result)) ?? [];
  if (matched === undefined) throw new Error(unexpectedResult);
  if (retryAfterMs !== undefined) return { state: "inProgress", retryAfterMs: Number(retryAfterMs) };
  return status === undefined ? { state: "acquired", token } : { state: "completed", status: Number(status) };
}

/** The methods that `redis` (4 and newer) clients, pools, clusters and sentinels have. @inline */
interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** The methods that `ioredis` clients and clusters have. @inline */
interface IoRedisClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** The part of a client that the store uses. @inline */
export type RedisClient = NodeRedisClient | IoRedisClient;

function isRedisClient(client: RedisClient): boolean {
  const { call, eval: evaluate } = (client ?? {}) as Partial<NodeRedisClient & IoRedisClient>;
  return typeof call === "function" || typeof evaluate === "function";
}

/** Runs a Lua script atomically. `call` is tried first, because ioredis also has an `eval`, which takes different arguments. */
async function evaluate(client: RedisClient, script: string, keys: string[], args: string[]): Promise<unknown> {
  return "call" in client
    ? client.call("EVAL", script, String(keys.length), ...keys, ...args)
    : client.eval(script, { keys, arguments: args });
}

/**
 * The steps of the store. Each is a Lua script, because it must be atomic and use Redis' own clock. KEYS[1] is a request's lease, which
 * contains its fencing token. KEYS[2] is the last completed request with the same subject, as `status key`.
 */
export const scripts = {
  /** ARGV: key, token, leaseMs */
  acquire: `
local last = redis.call('GET', KEYS[2])
if last and string.sub(last, 5) == ARGV[1] then return 'completed ' .. string.sub(last, 1, 3) end
if redis.call('SET', KEYS[1], ARGV[2], 'NX', 'PX', ARGV[3]) then return 'acquired' end
return 'inProgress ' .. redis.call('PTTL', KEYS[1])`,

  /** ARGV: key, token, status, keepMs */
  complete: `
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 'stale' end
redis.call('DEL', KEYS[1], KEYS[2])
if ARGV[4] ~= '0' then redis.call('SET', KEYS[2], ARGV[3] .. ' ' .. ARGV[1], 'PX', ARGV[4]) end
return 'settled'`,

  /** ARGV: token */
  release: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'stale' end
redis.call('DEL', KEYS[1])
return 'settled'`,
} as const;
