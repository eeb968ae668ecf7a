import type { Cluster, Redis } from "ioredis";
import type { createClient, createClientPool, createCluster, createSentinel, RedisClientType } from "redis";
import { expectTypeOf, test } from "vitest";
import type { redisDeduplication } from "../../src/redis.ts";

type AcceptedClient = Parameters<typeof redisDeduplication>[0];

test("every client of npm redis is accepted", () => {
  expectTypeOf<ReturnType<typeof createClient>>().toExtend<AcceptedClient>();
  expectTypeOf<RedisClientType>().toExtend<AcceptedClient>();
  expectTypeOf<ReturnType<typeof createClientPool>>().toExtend<AcceptedClient>();
  expectTypeOf<ReturnType<typeof createCluster>>().toExtend<AcceptedClient>();
  expectTypeOf<ReturnType<typeof createSentinel>>().toExtend<AcceptedClient>();
});

test("every client of ioredis is accepted", () => {
  expectTypeOf<Redis>().toExtend<AcceptedClient>();
  expectTypeOf<Cluster>().toExtend<AcceptedClient>();
});

test("an object that only collects commands is not accepted", () => {
  expectTypeOf<ReturnType<Redis["pipeline"]>>().not.toExtend<AcceptedClient>();
  expectTypeOf<string>().not.toExtend<AcceptedClient>();
});
