import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { hasRedisServer } from "./own-redis.ts";
import { findRedis } from "./redis-server.ts";

test("findRedis throws if no Redis responds at REDIS_URL, so the tests are not skipped", async () => {
  const closedServer = createServer().listen(0, "127.0.0.1");
  await once(closedServer, "listening");
  const { port } = closedServer.address() as AddressInfo;
  closedServer.close();
  await expect(findRedis(`redis://127.0.0.1:${port}`)).rejects.toThrow("REDIS_URL");
});

test("hasRedisServer returns false if redis-server is not in the path", () => {
  expect(hasRedisServer("")).toBe(false);
});
