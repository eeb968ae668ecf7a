import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { hasRedisServer } from "./redis-cluster.ts";
import { findRedis } from "./redis-server.ts";

test("a named Redis that does not respond is an error, not a reason to test less", async () => {
  const gone = createServer().listen(0, "127.0.0.1");
  await once(gone, "listening");
  const { port } = gone.address() as AddressInfo;
  gone.close();
  await expect(findRedis(`redis://127.0.0.1:${port}`)).rejects.toThrow("REDIS_URL");
});

test("a machine without redis-server is known as one", () => {
  expect(hasRedisServer("")).toBe(false);
});
