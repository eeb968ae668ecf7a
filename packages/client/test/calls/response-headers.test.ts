// Response headers: the remaining rate limit, and deprecation and sunset notices.
import { Agent } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { type DeprecationNotice, type Fetch, OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { TracedOffersClient } from "../../src/opentelemetry.ts";
import { input, offer } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const runtimeFetch: Fetch = (url, init) => fetch(url, init);
const limits = { RateLimit: '"key";r=598;t=42', "RateLimit-Policy": '"key";q=600;w=60' };
const rateLimit = { policy: "key", remaining: 598, resetAfterMs: 42_000, limit: 600, windowMs: 60_000 };

async function createClient(status: number, headers: Record<string, string>, options?: Partial<OffersClientOptions>) {
  const { baseUrl } = await serve(respondWith(status, JSON.stringify(offer), headers));
  return new OffersClient({ baseUrl, apiKey: "secret-1", maxRetries: 0, ...options });
}

test("with any transport, a result and an error contain the number of requests left [D-144]", async () => {
  const agent = new Agent();
  for (const options of [{ fetch: runtimeFetch }, { agent }]) {
    const client = await createClient(200, limits, options);
    expect(await client.getOffer("a").withResponse()).toMatchObject({ rateLimit });
    expect(await client.createOffer(input).safe()).toMatchObject({ ok: true, rateLimit });
    const throttledClient = await createClient(429, { ...limits, "Retry-After": "42" }, options);
    expect(await throttledClient.getOffer("a").safe()).toMatchObject({
      ok: false,
      error: { rateLimit, retryAfterMs: 42_000, headers: { ratelimit: limits.RateLimit, "retry-after": "42" } },
    });
  }
});

test("a traced call returns the rate limit too", async () => {
  const { baseUrl } = await serve(respondWith(200, JSON.stringify(offer), limits));
  const client = new TracedOffersClient({ baseUrl, apiKey: "secret-1" });
  expect(await client.getOffer("a").withResponse()).toMatchObject({ rateLimit });
});

test("the rate limit is undefined if the service does not send one", async () => {
  const { rateLimit } = await (await createClient(200, {})).getOffer("a").withResponse();
  expect(rateLimit).toBeUndefined();
  const result = await (await createClient(503, {})).getOffer("a").safe();
  expect(result).toMatchObject({ ok: false, error: { rateLimit: undefined, headers: {} } });
});

// These values come from RFC 9745, 2.1 and RFC 8594, 3; `date -u -d @1688169599` prints the day.
const deprecationHeaders = { Deprecation: "@1688169599", Sunset: "Sun, 30 Jun 2024 23:59:59 GMT" };

test("onDeprecation is called once per operation, for successes and errors alike [D-144]", async () => {
  const notices: DeprecationNotice[] = [];
  const onDeprecation = (notice: DeprecationNotice) => void notices.push(notice);
  const client = await createClient(200, deprecationHeaders, { onDeprecation });
  for (let call = 0; call < 2; call += 1) {
    await client.getOffer("a");
    await client.withdrawOffer("a");
  }
  await (await createClient(400, { Sunset: deprecationHeaders.Sunset }, { onDeprecation })).createOffer(input).safe();
  await (await createClient(200, { Deprecation: "true" }, { onDeprecation })).completeOffer("a", ["w"]);
  const dates = { deprecatedAt: new Date("2023-06-30T23:59:59Z"), sunsetAt: new Date("2024-06-30T23:59:59Z") };
  expect(notices).toEqual([
    { operation: "GetOffer", ...dates },
    { operation: "WithdrawOffer", ...dates },
    { operation: "CreateOffer", deprecatedAt: undefined, sunsetAt: dates.sunsetAt },
    { operation: "CompleteOffer", deprecatedAt: undefined, sunsetAt: undefined },
  ]);
});

test("a callback that throws does not affect the call [D-144]", async () => {
  const onDeprecation = () => {
    throw new Error("no");
  };
  expect(await (await createClient(200, deprecationHeaders, { onDeprecation })).getOffer("a")).toEqual(offer);
});

test("by default, one line is logged to the console for each deprecated operation [D-144]", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const client = await createClient(200, deprecationHeaders);
  await client.getOffer("a");
  await client.getOffer("a");
  await (await createClient(200, { Deprecation: "@1688169599" })).getOffer("a");
  expect(warn.mock.calls).toEqual([
    ["offers: GetOffer is deprecated; sunset: 2024-06-30T23:59:59.000Z"],
    ["offers: GetOffer is deprecated; sunset: unknown"],
  ]);
});
