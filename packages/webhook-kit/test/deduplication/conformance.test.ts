import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Deduplication, memoryDeduplication } from "../../src/index.ts";
import { redisDeduplication } from "../../src/redis.ts";
import { deduplicationConformance } from "../../src/testing.ts";
import { findRedis, redisUrl } from "./redis-server.ts";

describe("memoryDeduplication", () => {
  for (const { name, run } of deduplicationConformance(() => memoryDeduplication())) test(name, run);
});

describe.runIf(await findRedis())("redisDeduplication", () => {
  const prefix = `offers:test:${randomUUID()}:`;
  const nodeRedis = createClient({ url: redisUrl });
  const ioredis = new Redis(redisUrl, { lazyConnect: true });

  beforeAll(() => Promise.all([nodeRedis.connect(), ioredis.connect()]));
  afterAll(async () => {
    const keys = await nodeRedis.keys(`${prefix}*`);
    if (keys.length > 0) await nodeRedis.del(keys);
    await Promise.all([nodeRedis.close(), ioredis.quit()]);
  });

  describe.each<[string, () => Deduplication]>([
    ["npm redis", () => redisDeduplication(nodeRedis, { prefix })],
    ["npm ioredis", () => redisDeduplication(ioredis, { prefix })],
  ])("with a client from %s", (_, create) => {
    for (const { name, run } of deduplicationConformance(create)) test(name, run);
  });

  test("two processes with different clients share their records", async () => {
    const first = redisDeduplication(nodeRedis, { prefix });
    const second = redisDeduplication(ioredis, { prefix });
    const result = await first.acquire("k", { leaseMs: 1_000, subject: "s" });
    expect(await second.acquire("k", { leaseMs: 1_000, subject: "s" })).toMatchObject({ state: "inProgress" });
    if (result.state === "acquired") await second.complete("k", result.token, 200, 1_000);
    expect(await first.acquire("k", { leaseMs: 1_000, subject: "s" })).toEqual({ state: "completed", status: 200 });
  });

  test("every record in Redis expires", async () => {
    const deduplication = redisDeduplication(nodeRedis, { prefix: `${prefix}ttl:` });
    const result = await deduplication.acquire("k", { leaseMs: 5_000 });
    await deduplication.acquire("held", { leaseMs: 5_000 });
    if (result.state === "acquired") await deduplication.complete("k", result.token, 200, 7_000);
    const lifetimesMs = await Promise.all((await nodeRedis.keys(`${prefix}ttl:*`)).map((key) => nodeRedis.pTTL(key)));
    expect(lifetimesMs).toHaveLength(2);
    expect(Math.min(...lifetimesMs)).toBeGreaterThan(0);
    expect(Math.max(...lifetimesMs)).toBeLessThanOrEqual(7_000);
  });
});

test.each([undefined, null, {}, "redis://127.0.0.1", { eval: "no" }])("%j is not a Redis client", (client) =>
  expect(() => redisDeduplication(client as never)).toThrow(expect.objectContaining({ code: "invalid_option" })),
);
