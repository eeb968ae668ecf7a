import { expect, test } from "vitest";
import { OffersClient } from "../../src/index.ts";
import { input, offer } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const apiKey = "key-of-harbour-hotels";

test("a creation is a POST of JSON with the key, the version and an idempotency key [D-18] [interface: Authentication 5]", async () => {
  const { baseUrl, received } = await serve(respondWith(201, '{"id":"offer_4f1c2a"}'));
  await expect(new OffersClient({ baseUrl, apiKey }).createOffer(input)).resolves.toEqual({ id: "offer_4f1c2a" });
  const [{ method, url, headers, body } = {} as never] = received;
  expect({ method, url }).toEqual({ method: "POST", url: "/offer?api-version=1.0" });
  expect(headers).toMatchObject({ "x-ue-api-subscription-key": apiKey, "content-type": "application/json" });
  expect(headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
  expect(JSON.parse(body)).toEqual(input);
});

test("a read, a completion and a withdrawal use the contract's method, path and body [D-27]", async () => {
  const { baseUrl, received } = await serve((response, { url }) =>
    url?.startsWith("/offer/offer_4f1c2a?") ? response.end(JSON.stringify(offer)) : response.writeHead(204).end(),
  );
  const client = new OffersClient({ baseUrl, apiKey });
  await expect(client.getOffer("offer_4f1c2a")).resolves.toEqual(offer);
  await expect(client.completeOffer("offer_4f1c2a", ["worker_amal"])).resolves.toBeUndefined();
  await expect(client.withdrawOffer("offer_4f1c2a")).resolves.toBeUndefined();
  expect(received.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
    "GET /offer/offer_4f1c2a?api-version=1.0 ",
    'POST /offer/offer_4f1c2a/complete?api-version=1.0 ["worker_amal"]',
    "GET /offer/offer_4f1c2a/withdraw?api-version=1.0 ",
  ]);
});

test.each([null, undefined])("no events are sent if they are %s", async (events) => {
  const { baseUrl, received } = await serve(respondWith(201, "offer_1"));
  await new OffersClient({ baseUrl, apiKey }).createOffer({ ...input, events: events as never });
  expect(JSON.parse(received[0]?.body ?? "")).not.toHaveProperty("events");
});

test.each(["/some/prefix", "/some/prefix/", "/some/prefix//"])(
  "the base URL keeps its path %s [interface: Introduction 1b]",
  async (prefix) => {
    const { baseUrl, received } = await serve(respondWith(200, JSON.stringify(offer)));
    await new OffersClient({ baseUrl: new URL(prefix, baseUrl), apiKey }).getOffer("offer_4f1c2a");
    expect(received[0]?.url).toBe("/some/prefix/offer/offer_4f1c2a?api-version=1.0");
  },
);

test.each([
  ["a/b?c#d", "/offer/a%2Fb%3Fc%23d"],
  ["../admin", "/offer/..%2Fadmin"],
  ["%2e%2e", "/offer/%252e%252e"],
  ["$&", "/offer/%24%26"],
  ["überall", "/offer/%C3%BCberall"],
])("the id %j stays one segment of the path [interface: Resources 1]", async (id, path) => {
  const { baseUrl, received } = await serve(respondWith(200, JSON.stringify(offer)));
  await new OffersClient({ baseUrl, apiKey }).getOffer(id);
  expect(received[0]?.url).toBe(`${path}?api-version=1.0`);
});

test.each([
  ["plain text", "offer_4f1c2a", "offer_4f1c2a"],
  ["plain text and a line break", "offer_4f1c2a\r\n", "offer_4f1c2a"],
  ["a bare number too long for JavaScript", "90071992547409931", "90071992547409931"],
  ["a JSON string", '"offer 4f1c2a"', "offer 4f1c2a"],
  ["an object", '{"id":"offer_4f1c2a","title":"Kitchen help"}', "offer_4f1c2a"],
])("the created offer's id may be %s [D-02] [interface: Operations CreateOffer]", async (_form, body, id) => {
  const { baseUrl } = await serve(respondWith(200, body));
  await expect(new OffersClient({ baseUrl, apiKey }).createOffer(input)).resolves.toEqual({ id });
});

test.each([200, 201, 202, 204])(
  "any successful status acknowledges a completion and a withdrawal: %i [D-03] [D-10] [interface: Operations CompleteOffer]",
  async (status) => {
    const { baseUrl } = await serve(respondWith(status, status === 204 ? "" : "OK"));
    const client = new OffersClient({ baseUrl, apiKey });
    await expect(client.completeOffer("offer_1", ["worker_amal"])).resolves.toBeUndefined();
    await expect(client.withdrawOffer("offer_1")).resolves.toBeUndefined();
  },
);

test("undocumented worker responses and additional fields are passed on [D-04] [D-35] [interface: Recipient response]", async () => {
  const newerOffer = { ...offer, recipients: [{ ...offer.recipients[0], response: "shortlisted" }], urgency: "high" };
  const { baseUrl } = await serve(respondWith(200, JSON.stringify(newerOffer)));
  await expect(new OffersClient({ baseUrl, apiKey }).getOffer("offer_1")).resolves.toEqual(newerOffer);
});

test("times are sent in UTC, whatever their time zone", async () => {
  const { baseUrl, received } = await serve(respondWith(201, "offer_1"));
  const events = [{ start: new Date("2099-05-01T16:00:00Z"), end: "2099-05-02T00:00:00+02:00" }];
  await new OffersClient({ baseUrl, apiKey }).createOffer({ ...input, events });
  expect(JSON.parse(received[0]?.body ?? "").events).toEqual([
    { start: "2099-05-01T16:00:00.000Z", end: "2099-05-01T22:00:00Z" },
  ]);
});

test("the API key header, the version, the user agent and additional headers are configurable [D-18]", async () => {
  const { baseUrl, received } = await serve(respondWith(200, JSON.stringify(offer)));
  const client = new OffersClient({
    baseUrl,
    apiKey,
    apiKeyHeader: "X-Api-Key",
    apiVersion: "2.0 beta",
    userAgent: "us/1",
  });
  await client.getOffer("offer_1", { headers: { "X-Team": "staffing", "X-API-KEY": "another" } });
  expect(received[0]?.url).toBe("/offer/offer_1?api-version=2.0%20beta");
  expect(received[0]?.headers).toMatchObject({ "x-api-key": apiKey, "user-agent": "us/1", "x-team": "staffing" });
});

test("withApiKey creates a client with a different key, and the original client keeps its own", async () => {
  const { baseUrl, received } = await serve(respondWith(200));
  const agency = new OffersClient({ baseUrl, apiKey });
  await agency.withApiKey("key-of-seaside").withdrawOffer("offer_1");
  await agency.withdrawOffer("offer_1");
  expect(received.map(({ headers }) => headers["x-ue-api-subscription-key"])).toEqual(["key-of-seaside", apiKey]);
});
