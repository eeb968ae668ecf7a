import { describe, expect, test, vi } from "vitest";
import { memoryDeduplication } from "../../src/deduplication/memory-deduplication.ts";
import { standardWebhooks } from "../../src/signature/standard-webhooks.ts";
import { sampleAdapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { acceptedResponse, mount } from "../support/mount.ts";
import { createSignedRequest, whsec } from "./standard-signed.ts";

captureConsole();

const scheme = standardWebhooks();
const body = JSON.stringify(acceptedResponse);
const hourMs = 3_600_000;

describe.each(sampleAdapters)("$name", (adapter) => {
  async function serveReceiver(options: Parameters<typeof mount>[1] = {}) {
    const onWorkerOfferResponse = vi.fn();
    const request = await mount(adapter, { secret: whsec, scheme, onWorkerOfferResponse, ...options });
    const post = async (init: RequestInit) => (await request("/offer/response", init)).status;
    return { post, request, onWorkerOfferResponse };
  }

  test("a retry with the same id and a fresh timestamp is acknowledged but not handled again", async () => {
    const { post, onWorkerOfferResponse } = await serveReceiver();
    const now = Date.now();
    for (const seconds of [-120, -60, 0]) {
      const init = createSignedRequest(body, { id: "msg_1", now: new Date(now + seconds * 1000) });
      expect(await post(init)).toBe(200);
    }
    expect(onWorkerOfferResponse).toHaveBeenCalledOnce();
  });

  test("the same payload with another id is a different event", async () => {
    const { post, onWorkerOfferResponse } = await serveReceiver();
    const now = new Date();
    for (const id of ["msg_1", "msg_2", "MSG_1", "msg_1"])
      expect(await post(createSignedRequest(body, { id, now }))).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(3);
  });

  test("a request with the same id is a duplicate, even if its payload or its list of signatures differs", async () => {
    const { post, onWorkerOfferResponse } = await serveReceiver();
    const { headers, ...init } = createSignedRequest(body, { id: "msg_1" });
    expect(await post({ ...init, headers })).toBe(200);
    expect(
      await post(createSignedRequest(JSON.stringify({ ...acceptedResponse, workerId: "ben" }), { id: "msg_1" })),
    ).toBe(200);
    const zeros = Buffer.alloc(32).toString("base64");
    const paddedHeaders = { ...headers, "webhook-signature": `v1,${zeros} ${headers["webhook-signature"]}` };
    expect(await post({ ...init, headers: paddedHeaders })).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledOnce();
  });

  test("a failed event is handled when it is sent again with the same id", async () => {
    const { post, onWorkerOfferResponse } = await serveReceiver();
    onWorkerOfferResponse.mockRejectedValueOnce(new Error("the database is down"));
    expect(await post(createSignedRequest(body, { id: "msg_1" }))).toBe(500);
    expect(await post(createSignedRequest(body, { id: "msg_1" }))).toBe(200);
    expect(await post(createSignedRequest(body, { id: "msg_1" }))).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(2);
  });

  test("while an event is being handled, its retry gets Retry-After", async () => {
    const { onWorkerOfferResponse, post, request } = await serveReceiver();
    let finish = () => {};
    const started = new Promise<void>((start) => {
      onWorkerOfferResponse.mockImplementation(() => {
        start();
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      });
    });
    const firstAttempt = post(createSignedRequest(body, { id: "msg_1" }));
    await started;
    const retry = await request("/offer/response", createSignedRequest(body, { id: "msg_1" }));
    expect([retry.status, Number(retry.headers.get("retry-after")) >= 1]).toEqual([409, true]);
    finish();
    expect(await firstAttempt).toBe(200);
  });

  test("an id is recorded for 72 hours, as long as a sender may retry", async () => {
    let time = Date.now();
    const now = () => new Date(time);
    const deduplication = memoryDeduplication({ now });
    const { post, onWorkerOfferResponse } = await serveReceiver({ now, deduplication });
    const send = () => post(createSignedRequest(body, { id: "msg_1", now: now() }));
    const start = time;
    for (const hours of [0, 1, 71.99]) {
      time = start + hours * hourMs;
      expect(await send()).toBe(200);
    }
    expect(onWorkerOfferResponse).toHaveBeenCalledOnce();
    time = start + 72 * hourMs;
    expect(await send()).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(2);
  });

  test("events of two tenants with the same id are both handled", async () => {
    const otherSecret = "whsec_bmV3IHNlY3JldCBvZiB0d2VudHkgYnl0ZXM=";
    const { post, onWorkerOfferResponse } = await serveReceiver({ secret: () => [whsec, otherSecret] });
    for (const secret of [whsec, otherSecret, whsec, otherSecret])
      expect(await post(createSignedRequest(body, { id: "msg_1", secret }))).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(2);
  });

  test("a rejected request leaves no record", async () => {
    const { post, onWorkerOfferResponse } = await serveReceiver();
    expect(await post({ ...createSignedRequest(body, { id: "msg_1" }), body: "{}" })).toBe(401);
    expect(await post(createSignedRequest("{}", { id: "msg_1" }))).toBe(400);
    expect(await post(createSignedRequest(body, { id: "msg_1" }))).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledOnce();
  });

  test("with single-use signatures, a signature is rejected in a second request, even if another signature precedes it", async () => {
    const onRejected = vi.fn();
    const { request } = await serveReceiver({
      replayProtection: "single-use-signature",
      suggestContacts: () => [],
      onRejected,
    });
    const search = JSON.stringify({ filter: "", userEmailAddresses: [] });
    const { headers, ...init } = createSignedRequest(search);
    const zeros = Buffer.alloc(32).toString("base64");
    const paddedHeaders = { ...headers, "webhook-signature": `v1,${zeros} ${headers["webhook-signature"]}` };
    const statuses = [];
    for (const attemptHeaders of [headers, headers, paddedHeaders])
      statuses.push((await request("/contact-suggestions", { ...init, headers: attemptHeaders })).status);
    expect(statuses).toEqual([200, 401, 401]);
    expect(onRejected).toHaveBeenLastCalledWith(expect.objectContaining({ code: "signature_reused" }));
  });

  test("with single-use signatures, an event that is sent again is still a duplicate, even with a fresh timestamp", async () => {
    const { post, onWorkerOfferResponse } = await serveReceiver({ replayProtection: "single-use-signature" });
    const now = Date.now();
    for (const ms of [-60_000, -60_000, 0])
      expect(await post(createSignedRequest(body, { id: "msg_1", now: new Date(now + ms) }))).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledOnce();
  });
});
