import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memoryReceipts, type Receipts } from "../../src/index.ts";
import { redisReceipts } from "../../src/redis.ts";
import { receiptsConformance } from "../../src/testing.ts";
import { findRedis, redisUrl } from "./redis-server.ts";

describe("memoryReceipts", () => {
  for (const { name, run } of receiptsConformance(() => memoryReceipts())) test(name, run);
});

describe.runIf(await findRedis())("redisReceipts", () => {
  const prefix = `offers:test:${randomUUID()}:`;
  const nodeRedis = createClient({ url: redisUrl });
  const ioredis = new Redis(redisUrl, { lazyConnect: true });

  beforeAll(() => Promise.all([nodeRedis.connect(), ioredis.connect()]));
  afterAll(async () => {
    const keys = await nodeRedis.keys(`${prefix}*`);
    if (keys.length > 0) await nodeRedis.del(keys);
    await Promise.all([nodeRedis.close(), ioredis.quit()]);
  });

  describe.each<[string, () => Receipts]>([
    ["npm redis", () => redisReceipts(nodeRedis, { prefix })],
    ["npm ioredis", () => redisReceipts(ioredis, { prefix })],
  ])("with a client of %s", (_, create) => {
    for (const { name, run } of receiptsConformance(create)) test(name, run);
  });

  test("two processes with different clients are one memory", async () => {
    const [one, other] = [redisReceipts(nodeRedis, { prefix }), redisReceipts(ioredis, { prefix })];
    const claim = await one.claim("k", { leaseMs: 1_000, subject: "s" });
    expect(await other.claim("k", { leaseMs: 1_000, subject: "s" })).toMatchObject({ state: "inFlight" });
    if (claim.state === "claimed") await other.complete("k", claim.token, 200, 1_000);
    expect(await one.claim("k", { leaseMs: 1_000, subject: "s" })).toEqual({ state: "done", status: 200 });
  });

  test("everything that is written ends by itself", async () => {
    const receipts = redisReceipts(nodeRedis, { prefix: `${prefix}ttl:` });
    const claim = await receipts.claim("k", { leaseMs: 5_000 });
    await receipts.claim("held", { leaseMs: 5_000 });
    if (claim.state === "claimed") await receipts.complete("k", claim.token, 200, 7_000);
    const lives = await Promise.all((await nodeRedis.keys(`${prefix}ttl:*`)).map((key) => nodeRedis.pTTL(key)));
    expect(lives).toHaveLength(2);
    expect(Math.min(...lives)).toBeGreaterThan(0);
    expect(Math.max(...lives)).toBeLessThanOrEqual(7_000);
  });
});

test.each([undefined, null, {}, "redis://127.0.0.1", { eval: "no" }])("%j is no client of Redis", (client) =>
  expect(() => redisReceipts(client as never)).toThrow(expect.objectContaining({ code: "invalid_option" })),
);
