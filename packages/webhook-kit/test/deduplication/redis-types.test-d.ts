import type { Cluster, Redis } from "ioredis";
import type { createClient, createClientPool, createCluster, createSentinel, RedisClientType } from "redis";
import { expectTypeOf, test } from "vitest";
import type { redisDeduplication } from "../../src/redis.ts";

type Client = Parameters<typeof redisDeduplication>[0];

test("every client of npm redis fits as it is", () => {
  expectTypeOf<ReturnType<typeof createClient>>().toExtend<Client>();
  expectTypeOf<RedisClientType>().toExtend<Client>();
  expectTypeOf<ReturnType<typeof createClientPool>>().toExtend<Client>();
  expectTypeOf<ReturnType<typeof createCluster>>().toExtend<Client>();
  expectTypeOf<ReturnType<typeof createSentinel>>().toExtend<Client>();
});

test("every client of ioredis fits as it is", () => {
  expectTypeOf<Redis>().toExtend<Client>();
  expectTypeOf<Cluster>().toExtend<Client>();
});

test("what only collects commands does not fit", () => {
  expectTypeOf<ReturnType<Redis["pipeline"]>>().not.toExtend<Client>();
  expectTypeOf<string>().not.toExtend<Client>();
});
