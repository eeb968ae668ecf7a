import { createClient } from "redis";
import { hasRedisServer } from "./redis-cluster.ts";

const named = process.env.REDIS_URL || undefined;

/** The Redis that the tests run on: `REDIS_URL`, else the one of this machine, in a database that is not the usual one. */
export const redisUrl = named ?? "redis://127.0.0.1:6379/7";

/**
 * The version of a Redis, undefined if there is none.
 *
 * @param url if given, a missing Redis is an error
 */
export async function findRedis(url = named): Promise<string | undefined> {
  const client = createClient({
    url: url ?? redisUrl,
    socket: { connectTimeout: 1_000, reconnectStrategy: false },
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return /redis_version:(\S+)/.exec(await client.info("server"))?.[1] ?? "of an unknown version";
  } catch (cause) {
    if (url !== undefined) throw new Error("no Redis responds at REDIS_URL", { cause });
    return undefined;
  } finally {
    client.destroy();
  }
}

/** Vitest's global set-up: says once on what records the tests run, so that a machine without Redis skips none in silence. */
export async function setup(): Promise<void> {
  const version = await findRedis();
  const redis =
    version === undefined
      ? "no Redis responds at 127.0.0.1:6379, and REDIS_URL is not set: /redis is NOT tested"
      : `Redis ${version} with npm redis and ioredis`;
  const cluster = hasRedisServer() ? "Redis Cluster" : "no redis-server on the PATH: Redis Cluster is NOT tested";
  console.log(`deduplication under test: memory; ${redis}; ${cluster}`);
}
