import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { onTestFinished } from "vitest";
import type { Deduplication } from "../../src/deduplication/deduplication.ts";
import { memoryDeduplication } from "../../src/deduplication/memory-deduplication.ts";
import { redisDeduplication } from "../../src/deduplication/redis-deduplication.ts";
import { findRedis, redisUrl } from "./redis-server.ts";

/** A type of deduplication store that the tests run on. */
export interface DeduplicationUnderTest {
  readonly title: string;
  /** Opens an empty store, which is removed after the test. */
  open(): Promise<Deduplication>;
}

/** Connects to Redis and creates a key prefix for one test. Deletes the keys with that prefix after the test. */
export async function openRedis() {
  const prefix = `offers:test:${randomUUID()}:`;
  const client = await createClient({ url: redisUrl })
    .on("error", () => undefined)
    .connect();
  const listKeys = async (): Promise<string[]> => {
    const keys: string[] = [];
    for await (const batch of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) keys.push(...batch);
    return keys;
  };
  onTestFinished(async () => {
    const keys = await listKeys();
    if (keys.length > 0) await client.del(keys);
    await client.close();
  });
  return { client, prefix, listKeys };
}

/** Connects to Redis with ioredis until the test ends. */
export function openIoRedis(): Redis {
  const client = new Redis(redisUrl);
  client.on("error", () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

const memoryUnderTest: DeduplicationUnderTest = { title: "memory", open: async () => memoryDeduplication() };

const redisUnderTest: DeduplicationUnderTest[] = [
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

/**
 * Returns the memory store and, if Redis responds, the Redis store with one client library; in the full matrix, the Redis store with every
 * client library.
 */
export async function deduplicationsUnderTest(): Promise<DeduplicationUnderTest[]> {
  if ((await findRedis()) === undefined) return [memoryUnderTest];
  if (process.env.TEST_MATRIX === "full") return [memoryUnderTest, ...redisUnderTest];
  return [memoryUnderTest, ...redisUnderTest.slice(0, 1)];
}
