import { inspect } from "node:util";
import { expect, test } from "vitest";
import * as offers from "../../src/index.ts";
import { input } from "../support/offer.ts";
import { findUnusedUrl, respondWith, serve } from "../support/serve.ts";

const apiKey = "key-of-harbour-hotels";
/** The original fetch, saved before a test replaces it. */
const runtimeFetch = globalThis.fetch;
const html = "<!doctype html><title>Sign in to the guest network</title>";

const startService = async (...respond: Parameters<typeof respondWith>) => {
  const { baseUrl, received } = await serve(respondWith(...respond));
  return { client: new offers.OffersClient({ baseUrl, apiKey, maxRetries: 0 }), received };
};

test.each([
  [400, offers.BadRequestError, "bad_request"],
  [401, offers.AuthenticationError, "unauthenticated"],
  [403, offers.PermissionError, "forbidden"],
  [404, offers.NotFoundError, "not_found"],
  [408, offers.BadRequestError, "bad_request"],
  [409, offers.ConflictError, "conflict"],
  [422, offers.BadRequestError, "bad_request"],
  [429, offers.RateLimitError, "rate_limited"],
  [451, offers.BadRequestError, "bad_request"],
  [500, offers.ServerError, "server_error"],
  [503, offers.ServerError, "server_error"],
  [599, offers.ServerError, "server_error"],
] as const)("a %i rejects with a %o, whatever the body [D-19]", async (status, ErrorType, code) => {
  for (const body of ["", html, "{broken", "[]", "null", '"no"']) {
    const { client } = await startService(status, body);
    for (const call of [
      () => client.createOffer(input),
      () => client.getOffer("a"),
      () => client.completeOffer("a", ["w"]),
      () => client.withdrawOffer("a"),
    ]) {
      const error = await call().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(ErrorType);
      expect(error).toMatchObject({ name: ErrorType.name, code, status, attempts: 1, problem: undefined });
      expect(error).toBeInstanceOf(offers.OffersError);
    }
  }
});

test("problem details are kept, including extension members [D-19] [D-53]", async () => {
  const problem = {
    type: "urn:problem-type:offers:invalid_body",
    title: "The offer is not valid",
    status: 400,
    detail: "Two fields are not valid.",
    code: "invalid_body",
    errors: { "events[0].end": ["must be after start"], title: ["is required"] },
    traceId: "00-1",
  };
  const { client } = await startService(400, JSON.stringify(problem), { "X-Request-Id": "req_1" });
  await expect(client.createOffer(input)).rejects.toMatchObject({
    message: expect.stringContaining(
      ": 400; The offer is not valid; Two fields are not valid; events[0].end: must be after start; title: is required; ",
    ),
    operation: "CreateOffer",
    requestId: "req_1",
    problem,
  });
});

test("a read with a 204 response rejects with a NotFoundError, and never returns an empty object [D-20]", async () => {
  const { client } = await startService(204);
  const error = await client.getOffer("a").catch((error: unknown) => error);
  expect(error).toBeInstanceOf(offers.NotFoundError);
  expect(error).toMatchObject({ status: 204, code: "not_found", operation: "GetOffer" });
});

test.each([
  ["nothing", ""],
  ["a web page", html],
  ["broken JSON", '{"id":"offer_1"'],
  ["JSON without an id", "{}"],
  ["null", "null"],
  ["an empty id", '""'],
  ["an id that is not a string", '{"id":{}}'],
])("a success with %s is an invalid response with its status [D-02]", async (_what, body) => {
  const { client } = await startService(200, body);
  for (const call of [() => client.createOffer(input), () => client.getOffer("a")]) {
    const error = await call().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(offers.InvalidResponseError);
    expect(error).toMatchObject({ code: "invalid_response", status: 200 });
    expect((error as Error).message).not.toContain("guest network");
  }
});

test.each([
  ["no recipients", '{"id":"offer_1","events":[]}'],
  ["recipients that are not a list", '{"id":"offer_1","events":[],"recipients":{}}'],
])("an offer with %s is an invalid response, so it does not fail in the caller's loop", async (_what, body) => {
  const { client } = await startService(200, body);
  await expect(client.getOffer("a")).rejects.toMatchObject({ code: "invalid_response", status: 200 });
});

test("a web page does not count as a completed or withdrawn offer [D-03] [D-10]", async () => {
  const { client } = await startService(200, html);
  for (const call of [() => client.completeOffer("a", ["w"]), () => client.withdrawOffer("a")])
    await expect(call()).rejects.toMatchObject({ code: "invalid_response", status: 200 });
});

test.each([
  ["reset before a response", () => {}],
  ["reset within the body", (write: (text: string) => void) => write('{"id":')],
])("a call whose connection is %s rejects with connection_lost", async (_when, sendFirstBytes) => {
  const { baseUrl, received } = await serve((response) => {
    response.setHeader("content-length", "100");
    sendFirstBytes((text) => response.write(text));
    setTimeout(() => response.destroy(), 20);
  });
  const client = new offers.OffersClient({ baseUrl, apiKey, maxRetries: 0 });
  const error = await client.getOffer("a").catch((error: unknown) => error);
  expect(error).toBeInstanceOf(offers.ConnectionError);
  expect(error).toMatchObject({ code: "connection_lost", status: undefined, attempts: 1 });
  expect(received).toHaveLength(1);
});

test("a refused connection is reported as connect_failed, so the creation had no effect", async () => {
  const client = new offers.OffersClient({ baseUrl: await findUnusedUrl(), apiKey, maxRetries: 0 });
  const error = await client.createOffer(input).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(offers.ConnectionError);
  expect(error).toMatchObject({ code: "connect_failed", cause: { code: "ECONNREFUSED" } });
});

test("a server without TLS is not reported as a lost connection, and not retried [D-50]", async () => {
  const { baseUrl } = await serve(respondWith(200));
  const client = new offers.OffersClient({ baseUrl: baseUrl.replace("http:", "https:"), apiKey });
  const error = await client.getOffer("a").catch((error: unknown) => error);
  expect(error).toBeInstanceOf(offers.ConnectionError);
  expect(error).toMatchObject({ code: "tls_failed", attempts: 1 });
});

test("a port that fetch blocks is not reported as a lost connection, and not retried [D-50]", async () => {
  // The Fetch standard blocks port 1: https://fetch.spec.whatwg.org/#port-blocking
  const client = new offers.OffersClient({ baseUrl: "http://127.0.0.1:1", apiKey, fetch: runtimeFetch });
  const error = await client.getOffer("a").catch((error: unknown) => error);
  expect(error).toMatchObject({ name: "ConnectionError", code: "port_blocked", attempts: 1 });
});

test("a 304 is an invalid response, not a redirect", async () => {
  const { client } = await startService(304);
  await expect(client.getOffer("a", { headers: { "if-none-match": '"1"' } })).rejects.toMatchObject({
    code: "invalid_response",
    status: 304,
  });
});

test("the error for a redirect within the origin says to check baseUrl", async () => {
  const { baseUrl, received } = await serve(respondWith(308, "", { location: "/v2/offer/a" }));
  const error = await new offers.OffersClient({ baseUrl, apiKey }).getOffer("a").catch((error: unknown) => error);
  expect(error).toMatchObject({
    code: "unexpected_redirect",
    status: 308,
    message: expect.stringMatching(/: 308; redirects are not followed; check baseUrl$/),
  });
  expect(received).toHaveLength(1);
});

test("isOffersError recognises errors from another copy of the package, and nothing else", async () => {
  const { client } = await startService(404);
  const error = await client.getOffer("a").catch((error: unknown) => error);
  // The error that a second copy of the package would create.
  class UnrelatedError extends Error {
    get [Symbol.for("@offers/client/error")]() {
      return true;
    }
  }
  expect(offers.isOffersError(error)).toBe(true);
  expect(offers.isOffersError(new UnrelatedError())).toBe(true);
  for (const value of [new Error("x"), { code: "not_found" }, undefined, null, "not_found"])
    expect(offers.isOffersError(value)).toBe(false);
});

test("an error contains its message and the URL of its page, both when it is inspected and as JSON", async () => {
  const { client } = await startService(404, '{"title":"No such offer"}');
  const error = (await client.getOffer("a").catch((error: unknown) => error)) as offers.NotFoundError;
  const docsUrl = "https://github.com/offers/offers/blob/main/docs/errors.md#not_found";
  expect(error.docsUrl).toBe(docsUrl);
  expect(inspect(error)).toContain(docsUrl);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: "not_found", message: error.message, docsUrl });
});
