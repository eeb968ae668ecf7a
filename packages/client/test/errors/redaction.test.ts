import { inspect } from "node:util";
import { expect, test } from "vitest";
import { type Middleware, OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { input, offer } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const apiKey = 'key-"of"\\harbour-hotels';
const listRepresentations = (value: unknown) => [
  inspect(value, { depth: 20, showHidden: true, getters: true }),
  JSON.stringify(value),
  String(value),
  value instanceof Error ? value.stack : "",
];
const catchError = (options: OffersClientOptions) =>
  new OffersClient({ maxRetries: 0, ...options }).createOffer(input).then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

test("no representation of the client contains its key", () => {
  const client = new OffersClient({ baseUrl: "https://service.example", apiKey });
  for (const text of listRepresentations(client)) expect(text).not.toContain("harbour");
});

test.each([
  [
    "in problem details",
    400,
    JSON.stringify({ title: `no ${apiKey}`, [apiKey]: [apiKey], errors: { [apiKey]: [apiKey] } }),
  ],
  ["in escapes", 401, `{"detail":"${[...apiKey].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join("")}"}`],
  ["in a web page", 200, `<p>${apiKey}`],
  ["in a response that is not an id", 200, `{"key":${JSON.stringify(apiKey)}}`],
])("no error contains a key that the service echoes %s [D-49]", async (_where, status, body) => {
  const { baseUrl } = await serve(
    respondWith(status, body, { "x-request-id": apiKey, location: `https://${apiKey}/` }),
  );
  for (const text of listRepresentations(await catchError({ baseUrl, apiKey })))
    expect(text).not.toMatch(/harbour-hotels/);
});

test("no error contains a key from the target of a redirect", async () => {
  const { baseUrl } = await serve(respondWith(302, "", { location: "https://key-of-harbour.example/key-of-harbour" }));
  for (const text of listRepresentations(await catchError({ baseUrl, apiKey: "key-of-harbour" })))
    expect(text).not.toMatch(/of-harbour/);
});

test("only the key is removed from an error that fetch or middleware throws", async () => {
  const throwError = async (_url: unknown, init: unknown) => {
    const cause = Object.assign(new Error(`headers were ${apiKey}`), { code: "ECONNRESET", config: init });
    throw new TypeError("fetch failed", { cause });
  };
  const baseUrl = "https://service.example";
  const fetchError = await catchError({ baseUrl, apiKey, fetch: throwError });
  const middlewareError = await catchError({ baseUrl, apiKey, middleware: [throwError satisfies Middleware] });
  for (const text of [...listRepresentations(fetchError), ...listRepresentations(middlewareError)])
    expect(text).not.toContain("harbour");
  expect(fetchError).toMatchObject({
    code: "connection_lost",
    cause: { code: "ECONNRESET", message: "TypeError: fetch failed; Error: headers were [redacted]" },
  });
  expect(middlewareError).toMatchObject({ code: "middleware_failed", attempts: 1 });
});

test("log lines and retry notices do not contain the key, the id or the body", async () => {
  const { baseUrl } = await serve((response, _request, count) =>
    count === 1 ? respondWith(503, apiKey)(response, _request, count) : response.end(JSON.stringify(offer)),
  );
  const lines: unknown[] = [];
  const log = (...line: unknown[]) => void lines.push(line);
  const client = new OffersClient({ baseUrl, apiKey, logger: { debug: log, warn: log }, onRetry: log });
  await client.getOffer("offer_4f1c2a");
  expect(lines).toHaveLength(3);
  expect(inspect(lines, { depth: 20 })).not.toMatch(/harbour|offer_4f1c2a|Kitchen/);
  expect(lines).toMatchObject([
    [{ operation: "GetOffer", attempt: 1, status: 503, code: "server_error" }, "offers"],
    [{ attempt: 1, error: { code: "server_error" } }],
    [{ operation: "GetOffer", attempt: 2, status: 200 }, "offers"],
  ]);
});

test.each([301, 302, 303, 307, 308])(
  "a redirect is not followed, and its target does not receive a request: %i",
  async (status) => {
    const target = await serve(respondWith(200, JSON.stringify(offer)));
    const { baseUrl, received } = await serve(
      respondWith(status, "", { location: `${target.baseUrl}/offer/secret?token=1` }),
    );
    const error = await catchError({ baseUrl, apiKey, maxRetries: 2 });
    expect(error).toMatchObject({ name: "InvalidResponseError", code: "unexpected_redirect", status });
    expect((error as Error).message).not.toContain("token");
    expect([received.length, target.received.length]).toEqual([1, 0]);
  },
);

test("a redirect with an invalid Location header is an error too", async () => {
  const { baseUrl } = await serve(respondWith(302, "", { location: "http://[" }));
  expect(await catchError({ baseUrl, apiKey })).toMatchObject({ code: "unexpected_redirect", status: 302 });
});

test("inspecting a client shows only its class name, even for another organisation", () => {
  const client = new OffersClient({ baseUrl: "https://service.example", apiKey });
  expect([inspect(client), inspect(client.withApiKey("another"))]).toEqual(["OffersClient {}", "OffersClient {}"]);
});
