import { createClient } from "redis";

const named = process.env.REDIS_URL || undefined;

/** The Redis for the tests: `REDIS_URL`, or this machine's, with a database other than the default one. */
export const redisUrl = named ?? "redis://127.0.0.1:6379/7";

/**
 * Returns a Redis server's version; undefined if it does not respond.
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
