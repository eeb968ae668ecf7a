import express from "express";
import { describe, expect, test } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import { redisDeduplication } from "../../src/redis.ts";
import { createJsonHeaders, secret, serve } from "../support/serve.ts";
import { openRedis } from "./deduplication-under-test.ts";
import { findRedis } from "./redis-server.ts";

const hash = "[\\w-]{43}";
const token = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}";

describe.runIf(await findRedis())("redisDeduplication", () => {
  test("redisDeduplication stores only hashes, a token and a status, each with an expiry, during and after a request", async () => {
    const { client, prefix, listKeys } = await openRedis();
    const readRecords = async () => {
      const keys = (await listKeys()).sort();
      return Promise.all(
        keys.map(async (key) => [key.slice(prefix.length), await client.get(key), await client.pTTL(key)] as const),
      );
    };
    let during: Awaited<ReturnType<typeof readRecords>> = [];
    const router = webhookRouter({
      secret,
      deduplication: redisDeduplication(client, { prefix }),
      handlerTimeoutMs: 10_000,
      async onWorkerOfferResponse() {
        during = await readRecords();
      },
    });
    const { url } = await serve(express().use(router));
    const body = JSON.stringify({ offerId: "offer_SENTINEL", workerId: "worker_SENTINEL", response: "accepted" });
    const { status } = await fetch(`${url}/offer/response`, { method: "POST", headers: createJsonHeaders(), body });
    expect(status).toBe(200);

    const [[leaseKey = "", leaseValue = "", leaseMs = 0] = []] = during;
    expect(during).toHaveLength(1);
    expect(leaseKey).toMatch(new RegExp(`^\\{of:${hash}\\}:lease:${hash}$`));
    expect(leaseValue).toMatch(new RegExp(`^${token}\\.${hash}$`));
    expect(leaseMs).toBeGreaterThan(0);
    expect(leaseMs).toBeLessThanOrEqual(21_000);

    const after = await readRecords();
    const [[completedKey = "", completedValue = "", keepMs = 0] = []] = after;
    expect(after).toHaveLength(1);
    expect(completedKey).toMatch(new RegExp(`^\\{of:${hash}\\}:completed$`));
    expect(completedValue).toMatch(new RegExp(`^200 ${hash}$`));
    expect(keepMs).toBeGreaterThan(500_000);
    expect(keepMs).toBeLessThanOrEqual(660_000);
  });

  test("redisDeduplication leaves nothing in Redis once a record has expired", async () => {
    const { client, prefix, listKeys } = await openRedis();
    const deduplication = redisDeduplication(client, { prefix });
    for (const key of ["first", "second"]) {
      const result = await deduplication.acquire(key, { leaseMs: 60_000, subject: "s" });
      if (result.state === "acquired")
        await deduplication.complete(key, result.token, 200, key === "first" ? 60_000 : 0);
    }
    expect(await listKeys()).toEqual([]);
    expect(await deduplication.acquire("second", { leaseMs: 60_000, subject: "s" })).toMatchObject({
      state: "acquired",
    });
  });

  test("acquire rejects if another program has stored a value under the key of a record", async () => {
    const { client, prefix } = await openRedis();
    const deduplication = redisDeduplication(client, { prefix });
    await client.set(`${prefix}{of:eternal}:lease:eternal`, "t");
    await expect(deduplication.acquire("eternal", { leaseMs: 1_000 })).rejects.toThrow(
      "Unexpected response from Redis",
    );
    await client.hSet(`${prefix}{of:list}:completed`, "f", "v");
    await expect(deduplication.acquire("list", { leaseMs: 1_000 })).rejects.toThrow("WRONGTYPE");
  });
});
