import { describe, expect, test } from "vitest";
import { type ParseWebhookOptions, parseWebhook } from "../../src/fetch.ts";
import { parseWebhookEvent, type Rejection, standardWebhooks } from "../../src/index.ts";
import { createSignedRequest, whsec } from "../signature/standard-signed.ts";
import { createJsonHeaders, createSignedHeaders, quietOptions, secret } from "../support/serve.ts";

const options: ParseWebhookOptions = { ...quietOptions, secret, basePath: "/offers" };
const createRequest = (path: string, init?: RequestInit): Request =>
  new Request(`https://us.example/offers${path}`, init);
const acceptedResponse = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" };
const createEventRequest = (headers = createJsonHeaders({ "offers-delivery-id": "delivery_1" })) =>
  createRequest("/offer/response", { method: "POST", headers, body: JSON.stringify(acceptedResponse) });

describe("parseWebhook", () => {
  test("a verified event is typed, and its response acknowledges it", async () => {
    const before = Date.now();
    const result = await parseWebhook(options, createEventRequest());
    expect(result.event).toEqual({
      type: "WorkerOfferResponse",
      data: acceptedResponse,
      receivedAt: expect.any(String),
      unverifiedDeliveryId: "delivery_1",
    });
    const receivedAt = Date.parse(result.event?.receivedAt ?? "");
    expect(receivedAt).toBeGreaterThanOrEqual(before);
    expect(receivedAt).toBeLessThanOrEqual(Date.now());
    expect(result.response.status).toBe(200);
    expect(await result.response.text()).toBe("");
  });

  test.each<[string, string, object | undefined]>([
    ["WorkerAddedContact", "/contact/new/worker%20amal", undefined],
    ["OfferEventDeleted", "/offer/eventDeleted", { offerId: "o", workerId: "w", eventStart: "2099-05-01T16:00:00Z" }],
    [
      "TimelineChanged",
      "/events/timelineChanged",
      {
        workerId: "w",
        periodStart: "2099-05-01T16:00:00Z",
        periodEnd: "2099-05-02T16:00:00Z",
        completedAt: "2099-05-01T15:00:00Z",
      },
    ],
  ])("%s is also an event, and does not change when it is serialised as JSON", async (type, path, body) => {
    const init = body
      ? { method: "POST", headers: createJsonHeaders(), body: JSON.stringify(body) }
      : { headers: createSignedHeaders() };
    const { event } = await parseWebhook(options, createRequest(path, init));
    expect(event).toMatchObject({ type, data: body ?? { workerId: "worker amal" } });
    expect(parseWebhookEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  test("/test and /test/auth get a response and no event", async () => {
    const results = await Promise.all([
      parseWebhook(options, createRequest("/test")),
      parseWebhook(options, createRequest("/test/auth", { headers: createSignedHeaders() })),
      parseWebhook(options, createRequest("/test/auth")),
    ]);
    expect(results.map(({ event }) => event)).toEqual([undefined, undefined, undefined]);
    expect(results.map((result) => result.response.status)).toEqual([200, 200, 401]);
  });

  test.each<[string, () => Request, number]>([
    [
      "a forged signature",
      () => createEventRequest(createJsonHeaders({ authorization: `hmac ${"0".repeat(64)}` })),
      401,
    ],
    ["an unknown path", () => createRequest("/nowhere", { headers: createSignedHeaders() }), 404],
    [
      "a different base path",
      () => new Request("https://us.example/offer/response", { headers: createSignedHeaders() }),
      404,
    ],
    ["a method that is not allowed", () => createRequest("/offer/response", { headers: createSignedHeaders() }), 405],
    [
      "an invalid payload",
      () => createRequest("/offer/response", { method: "POST", headers: createJsonHeaders(), body: '{"offerId":""}' }),
      400,
    ],
    [
      "a search without suggestContacts",
      () =>
        createRequest("/contact-suggestions", {
          method: "POST",
          headers: createJsonHeaders(),
          body: '{"userEmailAddresses":[]}',
        }),
      404,
    ],
  ])("%s gets a response and no event", async (_, createInvalidRequest, status) => {
    const rejections: Rejection[] = [];
    const result = await parseWebhook(
      { ...options, onRejected: (rejection) => void rejections.push(rejection) },
      createInvalidRequest(),
    );
    expect(result.event).toBeUndefined();
    expect(result.response.status).toBe(status);
    expect(rejections).toHaveLength(1);
  });

  test("parseWebhook calls the suggestContacts method of its options for a search", async () => {
    class Planning {
      readonly secret = secret;
      readonly basePath = "/offers";
      readonly #name = "Dana Kim";
      suggestContacts() {
        return [{ name: this.#name, emailAddress: "dana.kim@example.com", ratings: [] }];
      }
    }
    const search = { method: "POST", headers: createJsonHeaders(), body: '{"userEmailAddresses":["sam@example.com"]}' };
    const result = await parseWebhook(
      new Planning() as ParseWebhookOptions,
      createRequest("/contact-suggestions", search),
    );
    expect(result.event).toBeUndefined();
    expect(await result.response.json()).toEqual([expect.objectContaining({ name: "Dana Kim" })]);
  });

  test("a retry returns the event again, because the worker deduplicates", async () => {
    const headers = createJsonHeaders();
    const events = [
      await parseWebhook(options, createEventRequest(headers)),
      await parseWebhook(options, createEventRequest(headers)),
    ];
    expect(events.map(({ event }) => event?.type)).toEqual(["WorkerOfferResponse", "WorkerOfferResponse"]);
  });

  test("with Standard Webhooks, all attempts of an event have the same deduplicationKey, and different events have different keys", async () => {
    const standard = { secret: whsec, scheme: standardWebhooks() };
    const deduplicationKeyFor = async (id: string, now: Date) => {
      const init = createSignedRequest(JSON.stringify(acceptedResponse), { id, now });
      const { event } = await parseWebhook(standard, new Request("https://us.example/offer/response", init));
      return event?.deduplicationKey;
    };
    const [firstKey, retryKey, otherKey] = await Promise.all([
      deduplicationKeyFor("msg_1", new Date()),
      deduplicationKeyFor("msg_1", new Date(Date.now() - 60_000)),
      deduplicationKeyFor("msg_2", new Date()),
    ]);
    expect(firstKey).toMatch(/^[\w-]{43}$/);
    expect(retryKey).toBe(firstKey);
    expect(otherKey).not.toBe(firstKey);
  });

  test.each([
    { onWorkerOfferResponse: () => undefined },
    { onEvent: () => undefined },
    { deduplication: false },
    { replayProtection: "deduplicate" },
    { secrt: "" },
    { secret: "" },
  ])("parseWebhook rejects the options %j with a ConfigurationError", (invalidOptions) =>
    expect(
      parseWebhook({ ...options, ...invalidOptions } as ParseWebhookOptions, createEventRequest()),
    ).rejects.toMatchObject({
      name: "ConfigurationError",
    }),
  );
});
