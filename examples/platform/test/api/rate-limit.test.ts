import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { rateLimits } from "../../src/accounts/rate-limits.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

const hourMs = 3_600_000;
const offer = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };

beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterAll(() => {
  vi.useRealTimers();
});
const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

describe.each(await anyStore())("the rate limit on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    database = await createDatabase();
    const now = () => new Date();
    platform = await openPlatform(database, { rateLimit: { count: 3, seconds: 3_600 }, trustedProxies: 1 }, now);
  });
  afterAll(async () => {
    await platform.close();
    await database.remove();
  });
  // Start a new window for each test.
  beforeEach(() => pass(2 * hourMs));

  /** Sends a request without `platform.call`, which validates responses against a document that has no 429. */
  const ask = async (key: string, init: RequestInit = {}, path = "/offer/none") => {
    const headers = { "X-UE-Api-Subscription-Key": key, ...(init.headers as Record<string, string>) };
    const response = await fetch(platform.address + path, { ...init, headers });
    return { status: response.status, headers: response.headers, json: await response.json() };
  };
  const create = (idempotencyKey: string) => {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": idempotencyKey };
    return ask("demo-key-harbour", { method: "POST", headers, body: JSON.stringify(offer) }, "/offer");
  };
  const exhaust = async (key: string, init?: RequestInit): Promise<void> => {
    for (let number = 0; number < 3; number += 1) expect((await ask(key, init)).status).toBe(404);
  };

  test("sends Retry-After in whole seconds when a key exceeds it [D-54]", async () => {
    await exhaust("demo-key-harbour");
    pass(hourMs - 1_500);
    const { status, headers, json } = await ask("demo-key-harbour");
    expect(status).toBe(429);
    expect(headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(headers.get("retry-after")).toBe("2");
    expect(json).toMatchObject({ code: "rate_limited", status: 429, instance: expect.stringContaining("urn:offers:") });
    expect(JSON.stringify(json)).not.toContain("demo-key");
    pass(2_000);
    expect((await ask("demo-key-harbour")).status).toBe(404);
  });

  test("sends the number of requests left with every response to a valid key, even an error [D-54]", async () => {
    const fieldsOf = ({ headers }: { headers: Headers }) => [headers.get("ratelimit"), headers.get("ratelimit-policy")];
    const policy = '"key";q=3;w=3600';
    const read = await ask("demo-key-harbour", {}, "/events");
    expect([read.status, ...fieldsOf(read)]).toEqual([200, '"key";r=2;t=3600', policy]);
    pass(600_000);
    const missing = await ask("demo-key-harbour");
    expect([missing.status, ...fieldsOf(missing)]).toEqual([404, '"key";r=1;t=3000', policy]);
    const malformed = await ask("demo-key-harbour", { method: "POST" }, "/offer");
    expect([malformed.status, ...fieldsOf(malformed)]).toEqual([400, '"key";r=0;t=3000', policy]);
    const limited = await ask("demo-key-harbour");
    expect([limited.status, ...fieldsOf(limited)]).toEqual([429, '"key";r=0;t=3000', policy]);
    expect(fieldsOf(await ask("wrong"))).toEqual([null, null]);
  });

  test("does not affect another key, even of the same organisation", async () => {
    await exhaust("demo-key-harbour");
    expect((await ask("demo-key-harbour")).status).toBe(429);
    expect((await ask("demo-key-bistro")).status).toBe(404);
    expect((await ask("demo-key-crew-for-harbour")).status).toBe(404);
  });

  test("rejects a creation without any effect, and leaves its idempotency key free [D-54]", async () => {
    await exhaust("demo-key-harbour");
    const refused = await create("key-1");
    expect(refused.status).toBe(429);
    pass(hourMs);
    const first = await create("key-1");
    expect(first.status).toBe(201);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    const again = await create("key-1");
    expect(again.json).toEqual(first.json);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    const listed = (await platform.call("GET", "/portal/offers", { token })).json<{ offers: unknown[] }>();
    expect(listed.offers).toHaveLength(1);
  });

  describe("wrong keys", () => {
    const from = (address: string) => ({ headers: { "X-Forwarded-For": address } });
    const guess = async (address: string, write = (_port: number) => address): Promise<number> => {
      const responses = Array.from({ length: 60 }, (_, number) => ask(`wrong-${number}`, from(write(number))));
      expect(new Set((await Promise.all(responses)).map(({ status }) => status))).toEqual(new Set([401]));
      return (await ask("wrong-60", from(address))).status;
    };

    test("get 401 up to sixty times a minute from one address, then 429 [D-54]", async () => {
      expect(await guess("192.0.2.1")).toBe(429);
      const refused = await ask("wrong-61", from("192.0.2.1"));
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await ask("", from("192.0.2.1"))).status).toBe(429);
      expect((await ask("wrong", from("192.0.2.2"))).status).toBe(401);
      pass(60_000);
      expect((await ask("wrong", from("192.0.2.1"))).status).toBe(401);
    });

    test("never block a valid key, used or unused, which has its own limit [D-54]", async () => {
      expect(await guess("192.0.2.3")).toBe(429);
      await exhaust("demo-key-harbour", from("192.0.2.3"));
      expect((await ask("demo-key-harbour", from("192.0.2.3"))).status).toBe(429);
      expect((await ask("demo-key-bistro", from("192.0.2.3"))).status).toBe(404);
      // Valid keys do not make room for invalid ones either.
      expect((await ask("wrong-61", from("192.0.2.3"))).status).toBe(429);
    });

    test("count one IPv6 network as one address", async () => {
      expect(await guess("2001:db8:1:2::1")).toBe(429);
      expect((await ask("wrong", from("2001:db8:1:2:ffff::9"))).status).toBe(429);
      expect((await ask("wrong", from("2001:db8:1:3::1"))).status).toBe(401);
    });

    test.each([
      ["a port", (port: number) => `192.0.2.10:${port}`, "192.0.2.10", "192.0.2.11:443"],
      ["brackets", () => "[2001:db8:2::1]", "2001:db8:2::2", "[2001:db8:3::1]"],
      ["brackets and a port", (port: number) => `[2001:db8:4::1]:${port}`, "[2001:db8:4::2]", "[2001:db8:5::1]:443"],
      ["a zone", (port: number) => `[fe80::1%eth${port}]:${port}`, "fe80::1", "192.0.2.12"],
      ["no address", (port: number) => `_hidden${port}`, "unknown", "192.0.2.13"],
    ])("count as one caller when the proxy writes %s", async (_what, write, same, other) => {
      expect(await guess(same, write)).toBe(429);
      expect((await ask("wrong", from(other))).status).toBe(401);
    });

    test("ignore forwarding headers from before the proxy", async () => {
      expect(await guess("192.0.2.7")).toBe(429);
      expect((await ask("wrong", from("203.0.113.9, 192.0.2.7"))).status).toBe(429);
    });
  });
});

test("counts nothing without a limit", async () => {
  const limits = rateLimits(undefined);
  for (let number = 0; number < 1_000; number += 1) {
    await limits.countInvalidKey("192.0.2.1");
    await limits.countRequest("hash");
  }
});
