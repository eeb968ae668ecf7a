import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createRateLimits } from "../../src/accounts/rate-limits.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { useStore } from "../support/use-opened.ts";

const hourMs = 3_600_000;
const offer = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };

beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterAll(() => {
  vi.useRealTimers();
});
const advanceClock = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

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
  beforeEach(() => advanceClock(2 * hourMs));

  /** Sends a request without `platform.call`, which validates responses against a document that has no 429. */
  const send = async (key: string, init: RequestInit = {}, path = "/offer/none") => {
    const headers = { "X-UE-Api-Subscription-Key": key, ...(init.headers as Record<string, string>) };
    const response = await fetch(platform.address + path, { ...init, headers });
    return { status: response.status, headers: response.headers, json: await response.json() };
  };
  const create = (idempotencyKey: string) => {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": idempotencyKey };
    return send("demo-key-harbour", { method: "POST", headers, body: JSON.stringify(offer) }, "/offer");
  };
  const exhaustLimit = async (key: string, init?: RequestInit): Promise<void> => {
    for (let number = 0; number < 3; number += 1) expect((await send(key, init)).status).toBe(404);
  };

  test("a key that exceeds the rate limit gets Retry-After in whole seconds [D-54]", async () => {
    await exhaustLimit("demo-key-harbour");
    advanceClock(hourMs - 1_500);
    const { status, headers, json } = await send("demo-key-harbour");
    expect(status).toBe(429);
    expect(headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(headers.get("retry-after")).toBe("2");
    expect(json).toMatchObject({ code: "rate_limited", status: 429, instance: expect.stringContaining("urn:offers:") });
    expect(JSON.stringify(json)).not.toContain("demo-key");
    advanceClock(2_000);
    expect((await send("demo-key-harbour")).status).toBe(404);
  });

  test("every response to a valid key, even an error, reports how many requests are left [D-54]", async () => {
    const readRateLimitFields = ({ headers }: { headers: Headers }) => [
      headers.get("ratelimit"),
      headers.get("ratelimit-policy"),
    ];
    const policy = '"key";q=3;w=3600';
    const read = await send("demo-key-harbour", {}, "/events");
    expect([read.status, ...readRateLimitFields(read)]).toEqual([200, '"key";r=2;t=3600', policy]);
    advanceClock(600_000);
    const missing = await send("demo-key-harbour");
    expect([missing.status, ...readRateLimitFields(missing)]).toEqual([404, '"key";r=1;t=3000', policy]);
    const malformed = await send("demo-key-harbour", { method: "POST" }, "/offer");
    expect([malformed.status, ...readRateLimitFields(malformed)]).toEqual([400, '"key";r=0;t=3000', policy]);
    const limited = await send("demo-key-harbour");
    expect([limited.status, ...readRateLimitFields(limited)]).toEqual([429, '"key";r=0;t=3000', policy]);
    expect(readRateLimitFields(await send("wrong"))).toEqual([null, null]);
  });

  test("a key's rate limit does not affect a different key, even for the same organisation", async () => {
    await exhaustLimit("demo-key-harbour");
    expect((await send("demo-key-harbour")).status).toBe(429);
    expect((await send("demo-key-bistro")).status).toBe(404);
    expect((await send("demo-key-crew-for-harbour")).status).toBe(404);
  });

  test("a creation above the rate limit has no effect, and does not use up its idempotency key [D-54]", async () => {
    await exhaustLimit("demo-key-harbour");
    const rejected = await create("key-1");
    expect(rejected.status).toBe(429);
    advanceClock(hourMs);
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

  describe("invalid keys", () => {
    const forwardedFor = (address: string) => ({ headers: { "X-Forwarded-For": address } });
    /** Sends 61 wrong keys, and expects 401 for all but the last. @returns the status of the last response */
    const sendWrongKeys = async (address: string, formatAddress = (_port: number) => address): Promise<number> => {
      const responses = Array.from({ length: 60 }, (_, number) =>
        send(`wrong-${number}`, forwardedFor(formatAddress(number))),
      );
      expect(new Set((await Promise.all(responses)).map(({ status }) => status))).toEqual(new Set([401]));
      return (await send("wrong-60", forwardedFor(address))).status;
    };

    test("invalid keys get 401 up to sixty times a minute from one address, then 429 [D-54]", async () => {
      expect(await sendWrongKeys("192.0.2.1")).toBe(429);
      const rejected = await send("wrong-61", forwardedFor("192.0.2.1"));
      expect(rejected.status).toBe(429);
      expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await send("", forwardedFor("192.0.2.1"))).status).toBe(429);
      expect((await send("wrong", forwardedFor("192.0.2.2"))).status).toBe(401);
      advanceClock(60_000);
      expect((await send("wrong", forwardedFor("192.0.2.1"))).status).toBe(401);
    });

    test("invalid keys never block a valid key, used or unused, because it has its own limit [D-54]", async () => {
      expect(await sendWrongKeys("192.0.2.3")).toBe(429);
      await exhaustLimit("demo-key-harbour", forwardedFor("192.0.2.3"));
      expect((await send("demo-key-harbour", forwardedFor("192.0.2.3"))).status).toBe(429);
      expect((await send("demo-key-bistro", forwardedFor("192.0.2.3"))).status).toBe(404);
      // Requests with valid keys do not reset the limit of invalid keys.
      expect((await send("wrong-61", forwardedFor("192.0.2.3"))).status).toBe(429);
    });

    test("invalid keys from one IPv6 network count as if they came from one address", async () => {
      expect(await sendWrongKeys("2001:db8:1:2::1")).toBe(429);
      expect((await send("wrong", forwardedFor("2001:db8:1:2:ffff::9"))).status).toBe(429);
      expect((await send("wrong", forwardedFor("2001:db8:1:3::1"))).status).toBe(401);
    });

    test.each([
      ["a port", (port: number) => `192.0.2.10:${port}`, "192.0.2.10", "192.0.2.11:443"],
      ["brackets", () => "[2001:db8:2::1]", "2001:db8:2::2", "[2001:db8:3::1]"],
      ["brackets and a port", (port: number) => `[2001:db8:4::1]:${port}`, "[2001:db8:4::2]", "[2001:db8:5::1]:443"],
      ["a zone", (port: number) => `[fe80::1%eth${port}]:${port}`, "fe80::1", "192.0.2.12"],
      ["no address", (port: number) => `_hidden${port}`, "unknown", "192.0.2.13"],
    ])(
      "invalid keys count towards one caller when the proxy adds %s to X-Forwarded-For",
      async (_format, formatAddress, sameCaller, otherCaller) => {
        expect(await sendWrongKeys(sameCaller, formatAddress)).toBe(429);
        expect((await send("wrong", forwardedFor(otherCaller))).status).toBe(401);
      },
    );

    test("the limit of invalid keys ignores forwarding headers that the caller sent to the proxy", async () => {
      expect(await sendWrongKeys("192.0.2.7")).toBe(429);
      expect((await send("wrong", forwardedFor("203.0.113.9, 192.0.2.7"))).status).toBe(429);
    });
  });
});

const store = useStore();

test("without a rate limit, no request is counted", async () => {
  const limits = createRateLimits(store, undefined);
  for (let number = 0; number < 1_000; number += 1) {
    await limits.countInvalidKey("192.0.2.1");
    await limits.countRequest("hash");
  }
});
