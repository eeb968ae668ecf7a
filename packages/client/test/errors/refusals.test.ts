import { expect, test } from "vitest";
import { OffersClient, type OffersClientOptions, UsageError } from "../../src/index.ts";
import { input } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const validOptions: OffersClientOptions = { baseUrl: "https://service.example", apiKey: "key" };
const catchThrownError = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return expect.unreachable();
};

test.each([
  "http://service.example",
  "http://localhost.service.example",
  "http://127.0.0.1.service.example",
  "ftp://service.example",
  "service.example",
  "/offer",
  "https://user:password@service.example",
  "https://service.example?tenant=1",
  "https://service.example/#offers",
])("the error for the base URL %j mentions https and does not contain a password", (baseUrl) => {
  const error = catchThrownError(() => new OffersClient({ ...validOptions, baseUrl }));
  expect(error).toBeInstanceOf(UsageError);
  expect(error).toMatchObject({ code: "invalid_base_url", message: expect.stringContaining("https") });
  expect((error as Error).message).not.toContain("password");
});

test.each([
  "http://localhost:3000",
  "http://127.0.0.1",
  "http://127.8.9.10/",
  "http://[::1]:3000/x/",
  "HTTPS://SERVICE.example",
])("the base URL %s is accepted", (baseUrl) =>
  expect(new OffersClient({ ...validOptions, baseUrl })).toBeInstanceOf(OffersClient),
);

test.each(["", " ", "key ", "key\n", "kéy", undefined, 7])("the key %j is rejected", (apiKey) => {
  const error = catchThrownError(() => new OffersClient({ ...validOptions, apiKey: apiKey as string }));
  expect(error).toMatchObject({ name: "UsageError", code: "invalid_api_key" });
});

test.each([
  { timeoutMs: Number.NaN },
  { timeoutMs: -1 },
  { totalTimeoutMs: Number.POSITIVE_INFINITY },
  { totalTimeoutMs: 2_147_483_648 },
  { maxRetries: 1.5 },
  { maxRetries: "2" as unknown as number },
  { maxRetryAfterMs: -1 },
  { apiKeyHeader: "" },
  { apiKeyHeader: "X Key" },
  { apiVersion: "" },
  { userAgent: "us\r\nX-Injected: 1" },
])("the error for the option %o contains its name", (option) => {
  const error = catchThrownError(() => new OffersClient({ ...validOptions, ...option }));
  expect(error).toMatchObject({
    code: "invalid_option",
    message: expect.stringContaining(Object.keys(option)[0] ?? ""),
  });
});

test.each([
  { timeoutMs: Number.NaN },
  { maxRetries: -1 },
  { idempotencyKey: "" },
  { headers: { "x-team": "a\r\nx-injected: 1" } },
  { headers: { "x team": "a" } },
  { headers: { "x-team": undefined as unknown as string } },
])("the call option %o is rejected before any request", async (call) => {
  const { baseUrl, received } = await serve(respondWith(201, "offer_1"));
  await expect(new OffersClient({ baseUrl, apiKey: "key" }).createOffer(input, call)).rejects.toMatchObject({
    code: "invalid_option",
    attempts: 0,
    operation: "CreateOffer",
  });
  expect(received).toEqual([]);
});

test.each(["", ".", "..", undefined, null, 7, {}, ["a"]])("the id %j is rejected before any request", async (id) => {
  const { baseUrl, received } = await serve(respondWith(204));
  const client = new OffersClient({ baseUrl, apiKey: "key" });
  for (const call of [
    () => client.getOffer(id as string),
    () => client.completeOffer(id as string, []),
    () => client.withdrawOffer(id as string),
  ])
    await expect(call()).rejects.toMatchObject({ name: "UsageError", code: "invalid_id", attempts: 0 });
  expect(received).toEqual([]);
});

test.each([
  ["2099-05-01T16:00:00", "2099-05-01T22:00:00Z", "events[0].start"],
  ["2099-05-01T16:00:00Z", new Date(Number.NaN), "events[0].end"],
])(
  "an event from %s to %s is rejected before any request, with an error that contains %s",
  async (start, end, field) => {
    const { baseUrl, received } = await serve(respondWith(201, "offer_1"));
    const call = new OffersClient({ baseUrl, apiKey: "key" }).createOffer({ ...input, events: [{ start, end }] });
    await expect(call).rejects.toMatchObject({ code: "invalid_time", message: expect.stringContaining(field) });
    expect(received).toEqual([]);
  },
);

test("a signal that is not an AbortSignal is rejected before any request", async () => {
  const { baseUrl, received } = await serve(respondWith(204));
  const signal = new AbortController() as unknown as AbortSignal;
  await expect(new OffersClient({ baseUrl, apiKey: "key" }).getOffer("a", { signal })).rejects.toMatchObject({
    code: "invalid_argument",
    attempts: 0,
  });
  expect(received).toEqual([]);
});

test.each([undefined, null, { ...input, events: 7 }, { ...input, title: 1n }])(
  "a creation with an invalid input is rejected before any request: %o",
  async (offer) => {
    const { baseUrl, received } = await serve(respondWith(201, "offer_1"));
    const call = new OffersClient({ baseUrl, apiKey: "key" }).createOffer(offer as never);
    await expect(call).rejects.toMatchObject({ name: "UsageError", code: "invalid_argument", attempts: 0 });
    expect(received).toEqual([]);
  },
);
