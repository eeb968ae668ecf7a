import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { hasRedisServer } from "./own-redis.ts";
import { findRedis } from "./redis-server.ts";

test("a Redis at REDIS_URL that does not respond is an error, not a reason to skip tests", async () => {
  const closedServer = createServer().listen(0, "127.0.0.1");
  await once(closedServer, "listening");
  const { port } = closedServer.address() as AddressInfo;
  closedServer.close();
  await expect(findRedis(`redis://127.0.0.1:${port}`)).rejects.toThrow("REDIS_URL");
});

test("a machine without redis-server is recognised", () => {
  expect(hasRedisServer("")).toBe(false);
});
