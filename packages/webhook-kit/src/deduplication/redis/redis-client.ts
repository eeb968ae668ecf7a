/** What clients, pools, clusters and sentinels of npm `redis` (4 and newer) have of their own accord. @inline */
interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** What clients and clusters of npm `ioredis` have of their own accord. @inline */
interface IoRedisClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** As much of a client as is used. @inline */
export type RedisClient = NodeRedisClient | IoRedisClient;

export function isRedisClient(client: RedisClient): boolean {
  const { call, eval: evaluate } = (client ?? {}) as Partial<NodeRedisClient & IoRedisClient>;
  return typeof call === "function" || typeof evaluate === "function";
}

/** Runs a Lua script, whole or not at all. ioredis has an `eval` too, with other arguments: hence `call` is looked for first. */
export async function evaluate(client: RedisClient, script: string, keys: string[], args: string[]): Promise<unknown> {
  return "call" in client
    ? client.call("EVAL", script, String(keys.length), ...keys, ...args)
    : client.eval(script, { keys, arguments: args });
}
