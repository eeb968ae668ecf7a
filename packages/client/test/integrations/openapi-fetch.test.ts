// The gaps in openapi-fetch that this package closes, and the behaviour that stays the same.
import { getEventListeners } from "node:events";
import { Agent } from "node:http";
import { expect, expectTypeOf, test } from "vitest";
import * as offers from "../../src/index.ts";
import { createOpenApiClient } from "../../src/openapi-fetch.ts";
import { offer } from "../support/offer.ts";
import { findUnusedUrl, type Responder, respondWith, serve } from "../support/serve.ts";

const apiKey = "key-of-harbour-hotels";
const respondWithOffer = respondWith(200, JSON.stringify(offer));
const path = { id: "offer_4f1c2a" };
const version = { "api-version": "1.0" } as const;
const body = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal"] };

async function createApi(respond: Responder, options: Partial<offers.OffersClientOptions> = {}) {
  const { baseUrl, received } = await serve(respond);
  return { api: createOpenApiClient({ baseUrl, apiKey, ...options }), received, baseUrl };
}

test("the four operations are typed and send the key, the version and an idempotency key", async () => {
  const { api, received } = await createApi((response, request, count) =>
    (request.url?.startsWith("/offer/offer_4f1c2a?")
      ? respondWithOffer
      : respondWith(request.url?.includes("/complete") ? 204 : 200, "offer_1"))(response, request, count),
  );
  const created = await api.POST("/offer", { body });
  const read = await api.GET("/offer/{id}", { params: { path } });
  const completed = await api.POST("/offer/{id}/complete", { params: { path, query: version }, body: ["worker_amal"] });
  const withdrawn = await api.request("get", "/offer/{id}/withdraw", { params: { path } });
  expect([created.data, read.data, completed.data, withdrawn.data]).toEqual([
    { id: "offer_1" },
    offer,
    undefined,
    undefined,
  ]);
  expect([created, read, completed, withdrawn].map(({ error, response }) => [error, response.status])).toEqual([
    [undefined, 200],
    [undefined, 200],
    [undefined, 204],
    [undefined, 200],
  ]);
  expect(received.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
    `POST /offer?api-version=1.0 ${JSON.stringify(body)}`,
    "GET /offer/offer_4f1c2a?api-version=1.0 ",
    'POST /offer/offer_4f1c2a/complete?api-version=1.0 ["worker_amal"]',
    "GET /offer/offer_4f1c2a/withdraw?api-version=1.0 ",
  ]);
  expect(new Set(received.map(({ headers }) => headers["x-ue-api-subscription-key"]))).toEqual(new Set([apiKey]));
  expect(received[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
  expectTypeOf(read.data).toEqualTypeOf<offers.Offer | undefined>();
  expectTypeOf(read.error).toEqualTypeOf<offers.AnyOffersError | undefined>();
  if (read.error?.status === 404) expectTypeOf(read.error).toEqualTypeOf<offers.NotFoundError>();
  // @ts-expect-error a read needs an id
  expect((await api.GET("/offer/{id}", {})).error).toMatchObject({ code: "invalid_id" });
});

test.each(["..", ".", ""])("the id %j is rejected before any request", async (id) => {
  const { api, received } = await createApi(respondWithOffer);
  const { data, error, response } = await api.GET("/offer/{id}", { params: { path: { id } } });
  expect([data, response.status]).toEqual([undefined, 0]);
  expect(error).toMatchObject({ name: "UsageError", code: "invalid_id", operation: "GetOffer", attempts: 0 });
  expect(received).toEqual([]);
});

test.each([
  [400, offers.BadRequestError],
  [401, offers.AuthenticationError],
  [404, offers.NotFoundError],
  [409, offers.ConflictError],
  [500, offers.ServerError],
] as const)("a %i with an empty body results in a %o, not a success", async (status, ErrorType) => {
  const { api } = await createApi(respondWith(status, "", { "content-length": "0" }), { maxRetries: 0 });
  for (const call of [
    api.GET("/offer/{id}", { params: { path } }),
    api.POST("/offer", { body }),
    api.POST("/offer/{id}/complete", { params: { path, query: version }, body: ["w"] }),
    api.GET("/offer/{id}/withdraw", { params: { path } }),
  ]) {
    const { data, error, response } = await call;
    expect(data).toBeUndefined();
    expect(error).toBeInstanceOf(ErrorType);
    expect([error?.status, response.status]).toEqual([status, status]);
  }
});

test("a 204 response to a read results in a NotFoundError, never in undefined data", async () => {
  const { api } = await createApi(respondWith(204));
  const { error } = await api.GET("/offer/{id}", { params: { path } });
  expect(error).toMatchObject({ name: "NotFoundError", status: 204 });
});

test("HTML from a proxy is an invalid response, not a SyntaxError", async () => {
  const { api } = await createApi(respondWith(200, "<!doctype html><title>Sign in</title>"));
  for (const call of [api.GET("/offer/{id}", { params: { path } }), api.POST("/offer", { body })])
    expect((await call).error).toMatchObject({ name: "InvalidResponseError", code: "invalid_response", status: 200 });
});

test("a redirect is not followed, whatever the call options say, and its target does not receive the key", async () => {
  const otherServer = await serve(respondWithOffer);
  const { api, received } = await createApi(respondWith(307, "", { location: `${otherServer.baseUrl}/offer/a` }));
  const { error } = await api.GET("/offer/{id}", { params: { path }, redirect: "follow" });
  expect(error).toMatchObject({ code: "unexpected_redirect", status: 307 });
  expect([received.length, otherServer.received.length]).toEqual([1, 0]);
});

test("a baseUrl or fetch in the call options is ignored [D-66]", async () => {
  const otherServer = await serve(respondWithOffer);
  const { api, received } = await createApi(respondWithOffer);
  const unusedFetch = () => expect.unreachable();
  await api.GET("/offer/{id}", { params: { path }, baseUrl: otherServer.baseUrl, fetch: unusedFetch });
  expect([received.length, otherServer.received.length]).toEqual([1, 0]);
});

test("a read is retried, a creation is not, and call options apply", async () => {
  const { api, received } = await createApi((response, request, count) =>
    (count % 2 ? respondWith(503) : respondWithOffer)(response, request, count),
  );
  expect((await api.GET("/offer/{id}", { params: { path } })).data).toEqual(offer);
  expect((await api.POST("/offer", { body })).error).toMatchObject({ code: "server_error", attempts: 1 });
  expect(received).toHaveLength(3);
  const silentService = await createApi(() => {});
  const { error, response } = await silentService.api.GET("/offer/{id}", {
    params: { path },
    timeoutMs: 30,
    maxRetries: 0,
  });
  expect([error?.code, response.status, silentService.received.length]).toEqual(["timeout", 0, 1]);
});

test("the idempotency key of a creation may be passed as a header or as a call option", async () => {
  const { api, received } = await createApi(respondWith(201, "offer_1"));
  await api.POST("/offer", { params: { header: { "Idempotency-Key": "shift-7" } }, body });
  await api.POST("/offer", { body, idempotencyKey: "shift-8", headers: { "X-Team": "kitchen" } });
  expect(received.map(({ headers }) => headers["idempotency-key"])).toEqual(["shift-7", "shift-8"]);
  expect(received[1]?.headers["x-team"]).toBe("kitchen");
});

test("twenty calls leave no listener on a shared signal, and aborting it ends a call", async () => {
  const { api } = await createApi(respondWithOffer);
  const controller = new AbortController();
  const { signal } = controller;
  await Promise.all(Array.from({ length: 20 }, () => api.GET("/offer/{id}", { params: { path }, signal })));
  expect(getEventListeners(signal, "abort")).toEqual([]);
  controller.abort("enough");
  const { error } = await api.GET("/offer/{id}", { params: { path }, signal });
  expect(error).toMatchObject({ code: "aborted", cause: "enough", attempts: 0 });
});

test("a refused connection is returned as an error value too [D-66]", async () => {
  const api = createOpenApiClient({ baseUrl: await findUnusedUrl(), apiKey, maxRetries: 0 });
  const { error } = await api.POST("/offer", { body });
  expect(error).toMatchObject({ name: "ConnectionError", code: "connect_failed" });
  expect(offers.isOffersError(error)).toBe(true);
});

test("no error contains a key that the service echoes", async () => {
  const { api } = await createApi(respondWith(403, JSON.stringify({ title: apiKey, detail: apiKey })));
  const { error } = await api.GET("/offer/{id}", { params: { path } });
  expect(error).toMatchObject({ code: "forbidden", problem: { title: "[redacted]" } });
  expect(JSON.stringify(error)).not.toContain(apiKey);
});

test("openapi-fetch's middleware works, sees failures, and never sees the key", async () => {
  const { api, received } = await createApi((response, request, count) =>
    (count === 1 ? respondWithOffer : respondWith(404))(response, request, count),
  );
  const observations: unknown[] = [];
  api.use({
    onRequest({ request, schemaPath }) {
      observations.push(schemaPath, request.headers.get("x-ue-api-subscription-key"));
      request.headers.set("x-trace", "1");
    },
    onResponse: ({ response }) => void observations.push(response.headers.get("content-type")),
    onError: ({ error }) => void observations.push((error as Error).name),
  });
  await api.GET("/offer/{id}", { params: { path } });
  await api.GET("/offer/{id}", { params: { path } });
  expect(observations).toEqual(["/offer/{id}", null, "application/json", "/offer/{id}", null, "NotFoundError"]);
  expect(received[0]?.headers["x-trace"]).toBe("1");
});

test("response headers are kept, through fetch and through node:http", async () => {
  const runtimeFetch: offers.Fetch = (url, init) => fetch(url, init);
  for (const options of [{ fetch: runtimeFetch }, { agent: new Agent() }]) {
    const { api } = await createApi(respondWith(200, JSON.stringify(offer), { etag: '"1"' }), options);
    const { data, response } = await api.GET("/offer/{id}", { params: { path } });
    expect([data, response.headers.get("etag")]).toEqual([offer, '"1"']);
  }
});

test.each([
  ["a body that is not JSON", { bodySerializer: () => "SENTINEL" }],
  ["a body that cannot be serialised", { body: { ...body, title: 1n as never } }],
])("%s is rejected before any request, and the error does not contain it", async (_what, change) => {
  const { api, received } = await createApi(respondWithOffer);
  const { error } = await api.POST("/offer", { body, ...change });
  expect(error).toMatchObject({ name: "UsageError", code: "invalid_argument" });
  expect(String(error)).not.toContain("SENTINEL");
  expect(received).toEqual([]);
});

test("a path that is not in the contract is rejected", async () => {
  const { api, received } = await createApi(respondWithOffer);
  const { error } = await api.GET("/admin" as "/offer/{id}", { params: { path } });
  expect(error).toMatchObject({ name: "UsageError", code: "invalid_argument" });
  expect(received).toEqual([]);
});

test("an invalid option is rejected when the client is created", () =>
  expect(() => createOpenApiClient({ baseUrl: "http://service.example", apiKey })).toThrow(offers.UsageError));
