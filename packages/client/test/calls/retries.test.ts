import { expect, onTestFinished, test } from "vitest";
import { type FetchResponse, type Middleware, OffersClient } from "../../src/index.ts";
import { input, offer } from "../support/offer.ts";
import { findUnusedUrl, type Responder, respondWith, serve } from "../support/serve.ts";

const apiKey = "key";
const resetConnection: Responder = (response) => void response.destroy();
const respondInTurn =
  (...responders: Responder[]): Responder =>
  (response, request, count) =>
    (responders[count - 1] ?? responders.at(-1))?.(response, request, count);
const respondWithOffer = respondWith(200, JSON.stringify(offer));

test.each([
  ["408", respondWith(408)],
  ["429", respondWith(429)],
  ["500", respondWith(500)],
  ["503", respondWith(503)],
  ["a reset", resetConnection],
])("a read and a withdrawal are retried after %s [D-50]", async (_what, failure) => {
  const read = await serve(respondInTurn(failure, respondWithOffer));
  await expect(new OffersClient({ baseUrl: read.baseUrl, apiKey }).getOffer("a")).resolves.toEqual(offer);
  expect(read.received).toHaveLength(2);
  const withdrawal = await serve(respondInTurn(failure, respondWithOffer));
  await expect(new OffersClient({ baseUrl: withdrawal.baseUrl, apiKey }).withdrawOffer("a")).resolves.toBeUndefined();
  expect(withdrawal.received).toHaveLength(2);
});

test.each([
  ["409", respondWith(409)],
  ["429", respondWith(429, "", { "retry-after": "0" })],
  ["500", respondWith(500)],
  ["a reset", resetConnection],
])("a creation and a completion are not retried after %s [D-40]", async (_what, failure) => {
  const { baseUrl, received } = await serve(failure);
  const client = new OffersClient({ baseUrl, apiKey });
  await expect(client.createOffer(input)).rejects.toMatchObject({ attempts: 1 });
  await expect(client.completeOffer("a", ["w"])).rejects.toMatchObject({ attempts: 1 });
  expect(received).toHaveLength(2);
});

test.each([400, 403, 404, 409, 422])("a rejected request is never retried: %i", async (status) => {
  const { baseUrl, received } = await serve(respondWith(status));
  const client = new OffersClient({ baseUrl, apiKey, serviceHonoursIdempotencyKey: true });
  await client.getOffer("a").safe();
  await client.createOffer(input).safe();
  expect(received).toHaveLength(2);
});

test("a creation is retried with the same key if the service honours it, and each call has its own key [D-40]", async () => {
  const { baseUrl, received } = await serve(
    respondInTurn(resetConnection, respondWith(503), respondWith(201, "offer_1")),
  );
  const client = new OffersClient({ baseUrl, apiKey, serviceHonoursIdempotencyKey: true });
  await expect(client.createOffer(input)).resolves.toEqual({ id: "offer_1" });
  await client.createOffer(input);
  await client.createOffer(input, { idempotencyKey: "shift-7" });
  const keys = received.map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys.slice(0, 3)).size).toBe(1);
  expect(keys[3]).not.toBe(keys[0]);
  expect(keys[4]).toBe("shift-7");
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
});

test("a creation that was never sent is retried [D-40]", async () => {
  const notices: unknown[] = [];
  const onRetry = (notice: unknown) => void notices.push(notice);
  const client = new OffersClient({ baseUrl: await findUnusedUrl(), apiKey, maxRetries: 1, onRetry });
  await expect(client.createOffer(input)).rejects.toMatchObject({ code: "connect_failed", attempts: 2 });
  expect(notices).toMatchObject([{ attempt: 1, error: { code: "connect_failed" }, delayMs: expect.any(Number) }]);
});

test("with maxRetries: 0, a call sends only one request", async () => {
  const { baseUrl, received } = await serve(respondWith(503));
  await expect(new OffersClient({ baseUrl, apiKey, maxRetries: 0 }).getOffer("a")).rejects.toMatchObject({
    attempts: 1,
  });
  await expect(new OffersClient({ baseUrl, apiKey }).getOffer("a", { maxRetries: 0 })).rejects.toMatchObject({
    attempts: 1,
  });
  expect(received).toHaveLength(2);
});

test("a call whose Retry-After exceeds the cap fails immediately, with retryAfterMs set [D-50]", async () => {
  const { baseUrl, received } = await serve(respondWith(503, "", { "retry-after": "3600" }));
  await expect(new OffersClient({ baseUrl, apiKey }).getOffer("a")).rejects.toMatchObject({
    code: "server_error",
    retryAfterMs: 3_600_000,
    attempts: 1,
  });
  expect(received).toHaveLength(1);
});

test("a call fails immediately if the delay before a retry would exceed totalTimeoutMs", async () => {
  const { baseUrl, received } = await serve(respondWith(503, "", { "retry-after": "20" }));
  const call = new OffersClient({ baseUrl, apiKey, totalTimeoutMs: 10_000 }).getOffer("a");
  await expect(call).rejects.toMatchObject({ code: "server_error", attempts: 1 });
  expect(received).toHaveLength(1);
});

test("an expired key is refreshed once, and even a creation is sent again with the fresh key [D-47]", async () => {
  const { baseUrl, received } = await serve((response, request, count) =>
    respondWith(request.headers["x-ue-api-subscription-key"] === "fresh" ? 201 : 401, "offer_1")(
      response,
      request,
      count,
    ),
  );
  const refreshArguments: boolean[] = [];
  const client = new OffersClient({
    baseUrl,
    maxRetries: 0,
    apiKey: async ({ refresh }) => {
      refreshArguments.push(refresh);
      return refresh ? "fresh" : "stale";
    },
  });
  await expect(client.createOffer(input)).resolves.toEqual({ id: "offer_1" });
  expect(refreshArguments).toEqual([false, true]);
  expect(received).toHaveLength(2);
  expect(received[0]?.headers["idempotency-key"]).toBe(received[1]?.headers["idempotency-key"]);
});

test("a key is refreshed only after a 401", async () => {
  const { baseUrl } = await serve(respondInTurn(respondWith(503), respondWithOffer));
  const refreshArguments: boolean[] = [];
  const apiKey = ({ refresh }: { refresh: boolean }) => {
    refreshArguments.push(refresh);
    return "key";
  };
  await expect(new OffersClient({ baseUrl, apiKey }).getOffer("a")).resolves.toEqual(offer);
  expect(refreshArguments).toEqual([false]);
});

test.each([
  ["the same key again", () => "stale", 1],
  ["a new invalid key each time", () => String(Math.random()), 2],
])("an apiKey function that returns %s ends in an authentication error [D-47]", async (_what, apiKey, requests) => {
  const { baseUrl, received } = await serve(respondWith(401));
  const error = await new OffersClient({ baseUrl, apiKey }).getOffer("a").catch((error: unknown) => error);
  expect(error).toMatchObject({
    name: "AuthenticationError",
    code: "unauthenticated",
    status: 401,
    attempts: requests,
  });
  expect(received).toHaveLength(requests);
});

test.each([
  ["throws", () => Promise.reject(new Error("vault is sealed")), "api_key_provider_failed"],
  ["returns an empty string", () => "", "invalid_api_key"],
])("no request is sent if the apiKey function %s", async (_what, apiKey, code) => {
  const { baseUrl, received } = await serve(respondWithOffer);
  await expect(new OffersClient({ baseUrl, apiKey }).getOffer("a")).rejects.toMatchObject({ code, attempts: 0 });
  expect(received).toEqual([]);
});

const throwDiskFull = () => {
  throw new Error("disk full");
};
test.each([
  ["throws", throwDiskFull],
  ["rejects", async () => throwDiskFull()],
])("a logger or onRetry that %s does not affect the call", async (_how, fail) => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  onTestFinished(() => void process.off("unhandledRejection", record));

  const { baseUrl } = await serve(respondInTurn(respondWith(503), respondWithOffer));
  const client = new OffersClient({ baseUrl, apiKey, logger: { debug: fail, warn: fail }, onRetry: fail });
  await expect(client.getOffer("a")).resolves.toEqual(offer);
  // A rejection counts as unhandled once the microtask queue is empty.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

test("middleware wraps every attempt, and the first is the outermost", async () => {
  const { baseUrl, received } = await serve(respondInTurn(respondWith(503), respondWithOffer));
  const steps: string[] = [];
  const createNamedMiddleware =
    (name: string): Middleware =>
    async (request, next) => {
      steps.push(`${name} ${request.operation} ${request.attempt}`);
      const response = await next({ ...request, headers: { ...request.headers, [`x-${name}`]: "1" } });
      steps.push(`${name} ${response.status}`);
      return response;
    };
  await new OffersClient({
    baseUrl,
    apiKey,
    middleware: [createNamedMiddleware("outer"), createNamedMiddleware("inner")],
  }).getOffer("a");
  expect(steps).toEqual(
    [503, 200].flatMap((status, index) => [
      `outer GetOffer ${index + 1}`,
      `inner GetOffer ${index + 1}`,
      `inner ${status}`,
      `outer ${status}`,
    ]),
  );
  expect(received[1]?.headers).toMatchObject({ "x-outer": "1", "x-inner": "1" });
});

test.each([
  ["nothing", undefined, "TypeError: "],
  ["a response without text()", { status: 200, headers: new Headers() }, "not a Response"],
])(
  "a call whose middleware returns %s fails with middleware_failed, without a retry",
  async (_what, response, problem) => {
    const middleware = [async () => response as unknown as FetchResponse];
    const client = new OffersClient({ baseUrl: "https://service.example", apiKey, middleware });
    const message = expect.stringContaining(problem);
    await expect(client.getOffer("a")).rejects.toMatchObject({ code: "middleware_failed", attempts: 1, message });
  },
);

test("the runtime's fetch is looked up at every request", async () => {
  const originalFetch = globalThis.fetch;
  const client = new OffersClient({ baseUrl: "https://service.example", apiKey });
  try {
    globalThis.fetch = async () => new Response(JSON.stringify(offer));
    await expect(client.getOffer("a")).resolves.toEqual(offer);
  } finally {
    globalThis.fetch = originalFetch;
  }
});
