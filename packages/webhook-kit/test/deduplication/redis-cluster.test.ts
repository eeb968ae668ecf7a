import { Cluster } from "ioredis";
import { createCluster } from "redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Deduplication } from "../../src/deduplication/deduplication.ts";
import { redisDeduplication } from "../../src/redis.ts";
import { deduplicationConformance } from "../../src/testing.ts";
import { hasRedisServer, type RedisNode, startOneNodeCluster } from "./own-redis.ts";

describe.runIf(hasRedisServer())("on Redis Cluster", () => {
  let cluster: RedisNode;
  let nodeRedis: ReturnType<typeof createCluster>;
  let ioredis: Cluster;

  beforeAll(async () => {
    cluster = await startOneNodeCluster();
    nodeRedis = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${cluster.port}` }] });
    nodeRedis.on("error", () => undefined);
    ioredis = new Cluster([{ host: "127.0.0.1", port: cluster.port }]);
    await nodeRedis.connect();
  });
  afterAll(async () => {
    nodeRedis.destroy();
    ioredis.disconnect();
    await cluster.remove();
  });

  const clients: { name: string; create: () => Deduplication }[] = [
    { name: "npm redis", create: () => redisDeduplication(nodeRedis) },
    { name: "ioredis", create: () => redisDeduplication(ioredis) },
  ];
  describe.each(clients)("with the cluster client from $name", ({ create }) => {
    for (const { name, run } of deduplicationConformance(() => create())) test(name, run);
  });

  test("the cluster rejects a script with keys in two slots, so the other tests are meaningful", async () => {
    await expect(ioredis.call("EVAL", "return 1", "2", "{of:a}:lease:a", "{of:b}:completed")).rejects.toThrow(
      "CROSSSLOT",
    );
  });
});
