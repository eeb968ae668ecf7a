// One test for each case in which well-known clients fail, against real servers on loopback.
import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { isOffersError, OffersClient, OffersError } from "../../src/index.ts";
import { input, offer } from "../support/offer.ts";
import { type Responder, respondWith, serve } from "../support/serve.ts";

const apiKey = "key-of-harbour-hotels";
const respondWithOffer = respondWith(200, JSON.stringify(offer));
const failFirstWith =
  (respond: Responder): Responder =>
  (response, request, count) =>
    (count === 1 ? respond : respondWithOffer)(response, request, count);
const catchError = (call: Promise<unknown>): Promise<OffersError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

test("the API key header is not sent to a cross-origin redirect", async () => {
  const otherServer = await serve(respondWithOffer);
  const { baseUrl, received } = await serve((response, { url }) =>
    response.writeHead(307, { location: `${otherServer.baseUrl}${url}` }).end(),
  );
  const client = new OffersClient({ baseUrl, apiKey });
  for (const call of [() => client.getOffer("a"), () => client.createOffer(input), () => client.withdrawOffer("a")])
    expect(await catchError(call())).toMatchObject({ code: "unexpected_redirect", status: 307 });
  expect(received.map(({ headers }) => headers["x-ue-api-subscription-key"])).toEqual([apiKey, apiKey, apiKey]);
  expect(otherServer.received).toEqual([]);
});

test('the id ".." is rejected before any request', async () => {
  const { baseUrl, received } = await serve(respondWithOffer);
  const client = new OffersClient({ baseUrl, apiKey });
  for (const call of [
    () => client.getOffer(".."),
    () => client.completeOffer("..", ["w"]),
    () => client.withdrawOffer(".."),
  ])
    expect(await catchError(call())).toMatchObject({ name: "UsageError", code: "invalid_id", attempts: 0 });
  expect(received).toEqual([]);
});

test("a 4xx or 5xx with an empty body rejects with a typed error", async () => {
  const expected = [
    [400, "BadRequestError"],
    [401, "AuthenticationError"],
    [403, "PermissionError"],
    [404, "NotFoundError"],
    [409, "ConflictError"],
    [429, "RateLimitError"],
    [500, "ServerError"],
    [503, "ServerError"],
  ] as const;
  for (const [status, name] of expected) {
    const { baseUrl } = await serve(respondWith(status));
    const error = await catchError(new OffersClient({ baseUrl, apiKey, maxRetries: 0 }).getOffer("a"));
    expect(error).toBeInstanceOf(OffersError);
    expect(error).toMatchObject({ name, status, attempts: 1, operation: "GetOffer" });
  }
});

test("a 200 with HTML from a proxy rejects with a typed error that has the status", async () => {
  const { baseUrl } = await serve(
    respondWith(200, "<!doctype html><title>Sign in</title>", { "content-type": "text/html" }),
  );
  const client = new OffersClient({ baseUrl, apiKey });
  for (const call of [
    () => client.getOffer("a"),
    () => client.createOffer(input),
    () => client.completeOffer("a", ["w"]),
    () => client.withdrawOffer("a"),
  ])
    expect(await catchError(call())).toMatchObject({ name: "InvalidResponseError", status: 200, attempts: 1 });
});

test("a POST with a 409 response is sent only once", async () => {
  const { baseUrl, received } = await serve(respondWith(409));
  const error = await catchError(new OffersClient({ baseUrl, apiKey, maxRetries: 5 }).completeOffer("a", ["w"]));
  expect(error).toMatchObject({ code: "conflict", attempts: 1 });
  expect(received).toHaveLength(1);
});

test("a POST whose socket is reset never takes effect twice", async () => {
  const effects = new Set<string>();
  const { baseUrl, received } = await serve((response, { headers }) => {
    effects.add(String(headers["idempotency-key"]));
    response.destroy();
  });
  const defaultClient = new OffersClient({ baseUrl, apiKey });
  expect(await catchError(defaultClient.createOffer(input))).toMatchObject({ code: "connection_lost", attempts: 1 });
  expect(received).toHaveLength(1);
  // A service that acts only once per key can be called again safely, because the key is the same.
  const retryingClient = new OffersClient({ baseUrl, apiKey, serviceHonoursIdempotencyKey: true });
  expect(await catchError(retryingClient.createOffer(input))).toMatchObject({ code: "connection_lost", attempts: 3 });
  expect([received.length, effects.size]).toEqual([4, 2]);
});

test("a 429 with Retry-After 1 is retried after a second, if the cap allows it", async () => {
  const respond = failFirstWith(respondWith(429, "", { "retry-after": "1" }));
  const delays: number[] = [];
  const onRetry = ({ delayMs }: { delayMs: number }) => void delays.push(delayMs);
  const service = await serve(respond);
  await expect(new OffersClient({ baseUrl: service.baseUrl, apiKey, onRetry }).getOffer("a")).resolves.toEqual(offer);
  expect(service.received).toHaveLength(2);
  expect(delays).toEqual([1_000]);
  const lowCapService = await serve(respond);
  const error = await catchError(
    new OffersClient({ baseUrl: lowCapService.baseUrl, apiKey, onRetry, maxRetryAfterMs: 999 }).getOffer("a"),
  );
  expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 1_000, attempts: 1 });
  expect([lowCapService.received.length, delays.length]).toEqual([1, 1]);
});

test("a 503 with Retry-After 3600 fails immediately with an error that contains the delay", async () => {
  const { baseUrl, received } = await serve(failFirstWith(respondWith(503, "", { "retry-after": "3600" })));
  const error = await catchError(new OffersClient({ baseUrl, apiKey }).getOffer("a"));
  expect(error).toMatchObject({ code: "server_error", retryAfterMs: 3_600_000, attempts: 1 });
  expect(received).toHaveLength(1);
});

test("20 calls with one AbortSignal leave no listener on it", async () => {
  const { baseUrl } = await serve((response, request, count) =>
    respondWith(count % 2 ? 200 : 404, JSON.stringify(offer))(response, request, count),
  );
  const { signal } = new AbortController();
  const client = new OffersClient({ baseUrl, apiKey });
  const results = await Promise.all(Array.from({ length: 20 }, () => client.getOffer("a", { signal }).safe()));
  expect(results.filter(({ ok }) => ok)).toHaveLength(10);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("the timeout covers a body that stalls", async () => {
  const closeEvents: Promise<unknown>[] = [];
  const server = createServer((_request, response) => {
    closeEvents.push(once(response, "close"));
    response.writeHead(200, { "content-type": "application/json" }).write('{"id":');
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const error = await catchError(new OffersClient({ baseUrl, apiKey, timeoutMs: 1_000, maxRetries: 0 }).getOffer("a"));
  expect(error).toMatchObject({ name: "TimeoutError", code: "timeout", attempts: 1 });
  // The connection is closed, not leaked.
  await Promise.all(closeEvents);
});

test("the key is visible neither in inspect(client) nor in errors", async () => {
  const { baseUrl } = await serve((response, { headers }) =>
    response
      .writeHead(403, { "x-request-id": `${headers["x-ue-api-subscription-key"]}` })
      .end(JSON.stringify({ title: apiKey, detail: `The key ${apiKey} may not`, [apiKey]: apiKey })),
  );
  const client = new OffersClient({ baseUrl, apiKey });
  const error = await catchError(client.getOffer("a"));
  expect(error).toMatchObject({ code: "forbidden" });
  for (const value of [client, error])
    for (const text of [inspect(value, { depth: 20, showHidden: true }), JSON.stringify(value), String(value)])
      expect(text).not.toContain(apiKey);
});

test("an error from another realm is recognised by its brand", () => {
  const brand = Symbol.for("@offers/client/error");
  expect(isOffersError(runInNewContext("Object.assign(new Error('gone'), { [brand]: true })", { brand }))).toBe(true);
  expect(isOffersError(runInNewContext("new Error('gone')"))).toBe(false);
  for (const value of [undefined, null, 7, "text", {}]) expect(isOffersError(value)).toBe(false);
});

// jest #14947: under Jest, the test's built-in classes differ from those of the packages.
test("a Date from another realm is sent as the same instant", async () => {
  const { baseUrl, received } = await serve(respondWith(201, "offer_1"));
  const [start, end] = runInNewContext("[new Date('2099-05-01T16:00:00Z'), new Date('2099-05-01T22:00:00Z')]");
  await new OffersClient({ baseUrl, apiKey }).createOffer({ ...input, events: [{ start, end }] });
  expect(JSON.parse(received[0]?.body ?? "").events).toEqual([
    { start: "2099-05-01T16:00:00.000Z", end: "2099-05-01T22:00:00.000Z" },
  ]);
});
