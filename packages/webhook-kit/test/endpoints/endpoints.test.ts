import { describe, expect, test, vi } from "vitest";
import { memoryDeduplication } from "../../src/index.ts";
import { sampleAdapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { acceptedResponse, mount, post } from "../support/mount.ts";
import { eventDeleted, timelineChanged } from "../support/payloads.ts";
import { createJsonHeaders, createSignedHeaders } from "../support/serve.ts";

captureConsole();

const problemType = "application/problem+json";

describe.each(sampleAdapters)("$name", (adapter) => {
  test("/test responds with 200 whatever the headers [interface: Webhooks Test]", async () => {
    const request = await mount(adapter);
    for (const headers of [{}, createSignedHeaders(), { Authorization: "hmac nonsense", Timestamp: "never" }])
      expect((await request("/test", { headers })).status).toBe(200);
  });

  test("/test/auth responds with 200 only to valid headers [D-17] [interface: Webhooks Test authorisation] [interface: Authentication 1b]", async () => {
    const request = await mount(adapter);
    expect((await request("/test/auth", { headers: createSignedHeaders() })).status).toBe(200);
    const rejectedResponse = await request("/test/auth");
    expect(rejectedResponse.status).toBe(401);
    expect(rejectedResponse.headers.get("www-authenticate")).toBe("hmac");
    expect(rejectedResponse.headers.get("content-type")).toBe(problemType);
    expect(rejectedResponse.headers.get("cache-control")).toBe("no-store");
  });

  test("every failed check has the same response, and only onRejected gets the reason [D-17] [interface: Errors 2]", async () => {
    const onRejected = vi.fn();
    const request = await mount(adapter, { onRejected });
    const { Timestamp = "", Authorization = "" } = createSignedHeaders();
    const attempts: [string, Record<string, string>][] = [
      ["missing_timestamp", {}],
      ["missing_timestamp", { Authorization }],
      ["missing_authorization", { Timestamp }],
      ["malformed_timestamp", { Timestamp: "yesterday", Authorization }],
      ["malformed_authorization", { Timestamp, Authorization: `${Authorization}00` }],
      ["signature_mismatch", { Timestamp, Authorization: `hmac ${"0".repeat(64)}` }],
      ["signature_mismatch", { Timestamp: Timestamp.replace("Z", "+00:00"), Authorization }],
      ["timestamp_out_of_tolerance", { Timestamp: "2018-11-26T10:55Z", Authorization }],
      ["timestamp_out_of_tolerance", { Timestamp: "2999-11-26T10:55Z", Authorization }],
    ];
    const responses = new Set<string>();
    for (const [, headers] of attempts) {
      const response = await request("/test/auth", { headers });
      responses.add(`${response.status} ${await response.text()}`);
    }
    expect([...responses]).toEqual([expect.stringMatching(/^401 /)]);
    expect(onRejected.mock.calls.map(([rejection]) => rejection.code)).toEqual(attempts.map(([reason]) => reason));
  });

  test("a handler gets its event, which is acknowledged with 200 and no body [D-12] [D-13] [D-14] [D-35] [interface: Webhooks Worker Offer Response]", async () => {
    const onWorkerOfferResponse = vi.fn();
    const request = await mount(adapter, { onWorkerOfferResponse });
    const response = await request(
      "/offer/response",
      post({ ...acceptedResponse, newer: [1] }, createJsonHeaders({ "offers-delivery-id": "d1" })),
    );
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(onWorkerOfferResponse).toHaveBeenCalledExactlyOnceWith(
      { ...acceptedResponse, newer: [1] },
      expect.objectContaining({
        unverifiedDeliveryId: "d1",
        verified: { scheme: "timestamp-digest", variant: "sha256", secretIndex: 0, skewSeconds: expect.any(Number) },
        signal: expect.any(AbortSignal),
        receivedAt: expect.any(Date),
      }),
    );
  });

  test("a contact's worker is decoded from the path, and an invalid encoding gets 400 [interface: Webhooks Worker Added Contact]", async () => {
    const onWorkerAddedContact = vi.fn();
    const request = await mount(adapter, { onWorkerAddedContact });
    expect((await request("/contact/new/J%C3%BCrgen%2F7/", { headers: createSignedHeaders() })).status).toBe(200);
    expect(onWorkerAddedContact.mock.calls[0]?.[0]).toEqual({ workerId: "Jürgen/7" });
    const rejectedResponse = await request("/contact/new/%E0%A4%A", { headers: createSignedHeaders() });
    expect([rejectedResponse.status, rejectedResponse.headers.get("content-type")]).toEqual([400, problemType]);
    expect(onWorkerAddedContact).toHaveBeenCalledTimes(1);
  });

  test("the live service's additional events are handled [D-34]", async () => {
    const onOfferEventDeleted = vi.fn();
    const onTimelineChanged = vi.fn();
    const request = await mount(adapter, { onOfferEventDeleted, onTimelineChanged });
    const timeline = { ...timelineChanged, periodEnd: "2099-05-08T00:00:00+02:00", maxAvailableNow: 3.5 };
    expect((await request("/offer/eventDeleted", post(eventDeleted))).status).toBe(200);
    expect((await request("/events/timelineChanged", post(timeline))).status).toBe(200);
    expect(onOfferEventDeleted.mock.calls[0]?.[0]).toEqual(eventDeleted);
    expect(onTimelineChanged.mock.calls[0]?.[0]).toEqual(timeline);
  });

  test("a worker's response or a search without a handler gets a 404 problem [D-46]", async () => {
    const onRejected = vi.fn();
    const request = await mount(adapter, { onRejected });
    const paths = ["/offer/response", "/contact-suggestions"];
    for (const path of paths) {
      const response = await request(path, { headers: createSignedHeaders() });
      expect([response.status, response.headers.get("content-type")]).toEqual([404, problemType]);
    }
    expect(onRejected.mock.calls.map(([{ code }]) => code)).toEqual(paths.map(() => "handler_not_configured"));
  });

  test("an optional event without a handler is acknowledged if it is verified and valid [D-152]", async () => {
    const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const onWorkerOfferResponse = vi.fn();
    const request = await mount(adapter, { onWorkerOfferResponse, logger });
    const send = async (path: string, init: RequestInit) => (await request(path, init)).status;
    expect(await send("/contact/new/1", { headers: createSignedHeaders() })).toBe(200);
    expect(await send("/offer/eventDeleted", post(eventDeleted))).toBe(200);
    expect(await send("/events/timelineChanged", post(timelineChanged))).toBe(200);
    expect(await send("/contact/new/1", {})).toBe(401);
    expect(await send("/contact/new/1", { method: "POST", headers: createSignedHeaders() })).toBe(405);
    expect(await send("/offer/eventDeleted", post({ ...eventDeleted, workerId: null }))).toBe(400);
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
    expect(logger.info).not.toHaveBeenCalled();
  });

  test("an optional event that was dropped is handled when it is sent again to a receiver with the handler [D-152]", async () => {
    const deduplication = memoryDeduplication();
    const headers = createSignedHeaders();
    const before = await mount(adapter, { onWorkerOfferResponse: () => undefined, deduplication });
    expect((await before("/contact/new/1", { headers })).status).toBe(200);
    const onWorkerAddedContact = vi.fn();
    const after = await mount(adapter, { onWorkerAddedContact, deduplication });
    expect((await after("/contact/new/1", { headers })).status).toBe(200);
    expect(onWorkerAddedContact).toHaveBeenCalledTimes(1);
  });

  test("a method that is not allowed gets 405 with the allowed methods, and HEAD is allowed only for /test [D-46]", async () => {
    const handler = vi.fn();
    const request = await mount(adapter, { onWorkerAddedContact: handler, onWorkerOfferResponse: handler });
    const send = async (method: string, path: string) => {
      const { status, headers } = await request(path, { method, headers: createSignedHeaders() });
      return [status, headers.get("allow")];
    };
    expect(await send("HEAD", "/test")).toEqual([200, null]);
    expect(await send("POST", "/test")).toEqual([405, "GET, HEAD"]);
    expect(await send("OPTIONS", "/test")).toEqual([405, "GET, HEAD"]);
    expect(await send("HEAD", "/test/auth")).toEqual([405, "GET"]);
    expect(await send("HEAD", "/contact/new/7")).toEqual([405, "GET"]);
    expect(await send("DELETE", "/contact/new/7")).toEqual([405, "GET"]);
    expect(await send("GET", "/offer/response")).toEqual([405, "POST"]);
    expect(await send("OPTIONS", "/offer/response")).toEqual([405, "POST"]);
    expect(handler).not.toHaveBeenCalled();
  });
});
