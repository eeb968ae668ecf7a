import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

// One store is enough, because the accepted hosts do not depend on the store.
const [{ createDatabase }] = await anyStore();
let database: TestDatabase;
let platform: PlatformUnderTest;
beforeAll(async () => {
  database = await createDatabase();
  platform = await openPlatform(database, { allowedHosts: ["sandbox.internal"] });
});
afterAll(async () => {
  await platform.close();
  await database.remove();
});

/** Sends a GET with any `Host` header, which `fetch` does not allow. */
async function get(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const outgoing = request(platform.address + path, { headers }).end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return response;
}

test.each(["localhost", "LOCALHOST:1", "127.0.0.1:3000", "[::1]", "[::1]:3000", "sandbox.internal:80"])(
  "the platform serves the host %s [D-105]",
  async (host) => {
    const response = await get("/healthz", { host });
    expect([response.statusCode, await json(response)]).toEqual([200, { status: "alive" }]);
  },
);

test.each([
  "evil.example",
  "evil.example:3000",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "localhost.",
  "127.0.0.2",
  "0.0.0.0",
  "[::]",
  "[::1].evil.example",
  "evil.example@localhost",
  "localhost:3000:80",
  "internal",
])("the platform rejects the host %j with 421 on every route, even with a valid key [D-105]", async (host) => {
  for (const path of ["/healthz", "/offer/offer_1", "/", "/assets/unknown.css", "/portal/offers", "/nowhere"]) {
    const response = await get(path, { host, "x-ue-api-subscription-key": "demo-key-harbour" });
    expect([path, response.statusCode, await json(response)]).toMatchObject([path, 421, { code: "host_not_allowed" }]);
    expect(response.headers["access-control-allow-origin"]).toBeUndefined();
  }
});

test("the platform ignores X-Forwarded-Host [D-105]", async () => {
  const response = await get("/healthz", { host: "evil.example", "x-forwarded-host": "localhost" });
  expect(response.statusCode).toBe(421);
  response.resume();
});
