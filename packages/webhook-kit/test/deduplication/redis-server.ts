import { createClient } from "redis";

const configuredUrl = process.env.REDIS_URL || undefined;

/** The Redis that the tests use: `REDIS_URL`, or database 7 on this machine. */
export const redisUrl = configuredUrl ?? "redis://127.0.0.1:6379/7";

/**
 * Returns the version of the Redis server, or undefined if no server responds.
 *
 * @throws if `url` is set but no server responds there
 */
export async function findRedis(url = configuredUrl): Promise<string | undefined> {
  const client = createClient({
    url: url ?? redisUrl,
    socket: { connectTimeout: 1_000, reconnectStrategy: false },
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return /redis_version:(\S+)/.exec(await client.info("server"))?.[1] ?? "(unknown version)";
  } catch (cause) {
    if (url !== undefined) throw new Error("No Redis responds at REDIS_URL.", { cause });
    return undefined;
  } finally {
    client.destroy();
  }
}
