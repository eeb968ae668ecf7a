import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { onTestFinished } from "vitest";
import type { Deduplication } from "../../src/deduplication/deduplication.ts";
import { memoryDeduplication } from "../../src/deduplication/memory-deduplication.ts";
import { redisDeduplication } from "../../src/deduplication/redis-deduplication.ts";
import { findRedis, redisUrl } from "./redis-server.ts";

/** A store for tests that run on every store; `open` returns an empty one, which is removed after the test. */
export interface DeduplicationUnderTest {
  readonly title: string;
  open(): Promise<Deduplication>;
}

/** Opens a key prefix in Redis for one test, and empties it afterwards; `client` reads it. */
export async function openRedis() {
  const prefix = `offers:test:${randomUUID()}:`;
  const client = await createClient({ url: redisUrl })
    .on("error", () => undefined)
    .connect();
  const list = async (): Promise<string[]> => {
    const keys: string[] = [];
    for await (const some of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) keys.push(...some);
    return keys;
  };
  onTestFinished(async () => {
    const keys = await list();
    if (keys.length > 0) await client.del(keys);
    await client.close();
  });
  return { client, prefix, list };
}

export function openIoRedis(): Redis {
  const client = new Redis(redisUrl);
  client.on("error", () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

const onMemory: DeduplicationUnderTest = { title: "memory", open: async () => memoryDeduplication() };

const onRedis: DeduplicationUnderTest[] = [
  {
    title: "Redis with npm redis",
    async open() {
      const { client, prefix } = await openRedis();
      return redisDeduplication(client, { prefix });
    },
  },
  {
    title: "Redis with ioredis",
    async open() {
      const { prefix } = await openRedis();
      return redisDeduplication(openIoRedis(), { prefix });
    },
  },
];

/** Returns memory, and Redis if it is reachable, through one library; in the full matrix, through each library. */
export const deduplicationsUnderTest = async (): Promise<DeduplicationUnderTest[]> =>
  (await findRedis()) === undefined
    ? [onMemory]
    : [onMemory, ...onRedis.slice(0, process.env.TEST_MATRIX === "full" ? onRedis.length : 1)];
