import { describe, expect, test } from "vitest";
import { type ParseWebhookOptions, parseWebhook } from "../../src/fetch.ts";
import { parseWebhookEvent, type Rejection, standardWebhooks } from "../../src/index.ts";
import { signedRequest, whsec } from "../signature/standard-signed.ts";
import { quiet, secret, signed, signedJson } from "../support/serve.ts";

const options: ParseWebhookOptions = { ...quiet, secret, basePath: "/offers" };
const request = (path: string, init?: RequestInit): Request => new Request(`https://us.example/offers${path}`, init);
const response = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" };
const responded = (headers = signedJson({ "offers-delivery-id": "delivery_1" })) =>
  request("/offer/response", { method: "POST", headers, body: JSON.stringify(response) });

describe("parseWebhook", () => {
  test("a verified event is typed, and its response acknowledges it", async () => {
    const before = Date.now();
    const parsed = await parseWebhook(options, responded());
    expect(parsed.event).toEqual({
      type: "WorkerOfferResponse",
      data: response,
      receivedAt: expect.any(String),
      unverifiedDeliveryId: "delivery_1",
    });
    const receivedAt = Date.parse(parsed.event?.receivedAt ?? "");
    expect(receivedAt).toBeGreaterThanOrEqual(before);
    expect(receivedAt).toBeLessThanOrEqual(Date.now());
    expect(parsed.response.status).toBe(200);
    expect(await parsed.response.text()).toBe("");
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
  ])("%s is an event too, and survives JSON", async (type, path, body) => {
    const init = body ? { method: "POST", headers: signedJson(), body: JSON.stringify(body) } : { headers: signed() };
    const { event } = await parseWebhook(options, request(path, init));
    expect(event).toMatchObject({ type, data: body ?? { workerId: "worker amal" } });
    expect(parseWebhookEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  test("/test and /test/auth get a response and no event", async () => {
    const results = await Promise.all([
      parseWebhook(options, request("/test")),
      parseWebhook(options, request("/test/auth", { headers: signed() })),
      parseWebhook(options, request("/test/auth")),
    ]);
    expect(results.map(({ event }) => event)).toEqual([undefined, undefined, undefined]);
    expect(results.map((result) => result.response.status)).toEqual([200, 200, 401]);
  });

  test.each<[string, () => Request, number]>([
    ["a forged signature", () => responded(signedJson({ authorization: `hmac ${"0".repeat(64)}` })), 401],
    ["an unknown path", () => request("/nowhere", { headers: signed() }), 404],
    ["another base path", () => new Request("https://us.example/offer/response", { headers: signed() }), 404],
    ["another method", () => request("/offer/response", { headers: signed() }), 405],
    [
      "an invalid payload",
      () => request("/offer/response", { method: "POST", headers: signedJson(), body: '{"offerId":""}' }),
      400,
    ],
    [
      "a search without suggestContacts",
      () =>
        request("/contact-suggestions", { method: "POST", headers: signedJson(), body: '{"userEmailAddresses":[]}' }),
      404,
    ],
  ])("%s gets a response and no event", async (_, create, status) => {
    const rejections: Rejection[] = [];
    const parsed = await parseWebhook(
      { ...options, onRejected: (rejection) => void rejections.push(rejection) },
      create(),
    );
    expect(parsed.event).toBeUndefined();
    expect(parsed.response.status).toBe(status);
    expect(rejections).toHaveLength(1);
  });

  test("a search is handled immediately, by a method of the options", async () => {
    class Planning {
      readonly secret = secret;
      readonly basePath = "/offers";
      readonly #name = "Dana Kim";
      suggestContacts() {
        return [{ name: this.#name, emailAddress: "dana.kim@example.com", ratings: [] }];
      }
    }
    const search = { method: "POST", headers: signedJson(), body: '{"userEmailAddresses":["sam@example.com"]}' };
    const parsed = await parseWebhook(new Planning() as ParseWebhookOptions, request("/contact-suggestions", search));
    expect(parsed.event).toBeUndefined();
    expect(await parsed.response.json()).toEqual([expect.objectContaining({ name: "Dana Kim" })]);
  });

  test("a retry returns the event again, because the worker deduplicates", async () => {
    const headers = signedJson();
    const events = [await parseWebhook(options, responded(headers)), await parseWebhook(options, responded(headers))];
    expect(events.map(({ event }) => event?.type)).toEqual(["WorkerOfferResponse", "WorkerOfferResponse"]);
  });

  test("with Standard Webhooks, every attempt of an event has the same deduplicationKey, and another event has a different one", async () => {
    const standard = { secret: whsec, scheme: standardWebhooks() };
    const keyOf = async (id: string, now: Date) => {
      const init = signedRequest(JSON.stringify(response), { id, now });
      const { event } = await parseWebhook(standard, new Request("https://us.example/offer/response", init));
      return event?.deduplicationKey;
    };
    const [first, retry, other] = await Promise.all([
      keyOf("msg_1", new Date()),
      keyOf("msg_1", new Date(Date.now() - 60_000)),
      keyOf("msg_2", new Date()),
    ]);
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(retry).toBe(first);
    expect(other).not.toBe(first);
  });

  test.each([
    { onWorkerOfferResponse: () => undefined },
    { onEvent: () => undefined },
    { deduplication: false },
    { replayProtection: "deduplicate" },
    { secrt: "" },
    { secret: "" },
  ])("%j is a configuration error", (wrong) =>
    expect(parseWebhook({ ...options, ...wrong } as ParseWebhookOptions, responded())).rejects.toMatchObject({
      name: "ConfigurationError",
    }),
  );
});
