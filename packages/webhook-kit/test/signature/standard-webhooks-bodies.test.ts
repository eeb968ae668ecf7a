import type { RequestHandler } from "express";
import { describe, expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { standardWebhooks } from "../../src/signature/standard-webhooks.ts";
import { adapters } from "../support/adapters.ts";
import { acceptedResponse, mount } from "../support/mount.ts";
import { expressVersions, quietOptions, serve } from "../support/serve.ts";
import { createSignedRequest, whsec } from "./standard-signed.ts";

const scheme = standardWebhooks();
const body = JSON.stringify(acceptedResponse);

describe.each(adapters)("$name", (adapter) => {
  async function serveReceiver(options: Parameters<typeof mount>[1] = {}) {
    const onWorkerOfferResponse = vi.fn();
    const onRejected = vi.fn();
    const request = await mount(adapter, { secret: whsec, scheme, onWorkerOfferResponse, onRejected, ...options });
    const post = (init: RequestInit) => request("/offer/response", init);
    return { post, request, onWorkerOfferResponse, onRejected };
  }

  test.each([
    ["a changed letter", (text: string) => text.replace("amal", "amaL")],
    ["an added space", (text: string) => `${text} `],
    ["a removed character", (text: string) => text.slice(0, -1)],
    ["an added byte order mark", (text: string) => `\ufeff${text}`],
    ["a removed body", () => ""],
  ])("%s invalidates the signature, and the request gets 401", async (_, tamper) => {
    const { post, onWorkerOfferResponse, onRejected } = await serveReceiver();
    const response = await post({ ...createSignedRequest(body), body: tamper(body) });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: "invalid_signature" });
    expect(onRejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "signature_mismatch" }));
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
  });

  test("a request that was signed without a body and sent with one gets 401", async () => {
    const { post, onWorkerOfferResponse } = await serveReceiver();
    const { headers } = createSignedRequest(undefined);
    expect((await post({ method: "POST", headers, body })).status).toBe(401);
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
  });

  test("other bytes that decode to the same string get 401, and signed invalid UTF-8 gets 400", async () => {
    const { post, onWorkerOfferResponse } = await serveReceiver();
    const signedBody = Buffer.from(body.replace("amal", "am\ufffdl"));
    // Replaces the three bytes of U+FFFD with one invalid byte, which also decodes to U+FFFD.
    const index = signedBody.indexOf(0xef);
    const forgedBody = Buffer.concat([signedBody.subarray(0, index), Buffer.of(0xff), signedBody.subarray(index + 3)]);
    expect(forgedBody.toString()).toBe(signedBody.toString());
    expect((await post({ ...createSignedRequest(signedBody), body: forgedBody })).status).toBe(401);
    expect((await post(createSignedRequest(forgedBody))).status).toBe(400);
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
    expect((await post(createSignedRequest(signedBody))).status).toBe(200);
  });

  test("a body over the limit gets 413, signed or not, and is never hashed", async () => {
    const { post, onWorkerOfferResponse } = await serveReceiver({ maxBodyBytes: body.length });
    expect((await post(createSignedRequest(`${body} `))).status).toBe(413);
    expect((await post({ ...createSignedRequest(body), body: `${body} ` })).status).toBe(413);
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
    expect((await post(createSignedRequest(body))).status).toBe(200);
  });

  test("malformed or stale headers are rejected without reading the body", async () => {
    const { post } = await serveReceiver({ maxBodyBytes: 1 });
    for (const change of [
      { "webhook-id": "msg.1" },
      { "webhook-timestamp": "1700000000junk" },
      { "webhook-timestamp": "1700000000" },
      { "webhook-signature": `v1,${"é".repeat(44)}` },
    ]) {
      const { headers, ...init } = createSignedRequest(body);
      expect((await post({ ...init, headers: { ...headers, ...change } })).status).toBe(401);
    }
  });

  test("two signature headers are rejected as duplicates, whether or not the runtime joined them", async () => {
    const { post, onRejected } = await serveReceiver();
    const { headers, ...init } = createSignedRequest(body);
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"] as const) {
      const headersWithDuplicate = new Headers(headers);
      headersWithDuplicate.append(name, headers[name] ?? "");
      expect((await post({ ...init, headers: headersWithDuplicate })).status).toBe(401);
      expect(onRejected).toHaveBeenLastCalledWith(expect.objectContaining({ code: "duplicate_header" }));
    }
  });

  test("a handler gets a contact whose id is in the path, which the scheme does not sign", async () => {
    const onWorkerAddedContact = vi.fn();
    const { request } = await serveReceiver({ onWorkerAddedContact });
    expect((await request("/contact/new/worker_amal", createSignedRequest(undefined))).status).toBe(200);
    expect(onWorkerAddedContact).toHaveBeenCalledExactlyOnceWith({ workerId: "worker_amal" }, expect.anything());
  });
});

describe.each(expressVersions)("Express $version", ({ express }) => {
  async function serveBehind(parser: RequestHandler) {
    const onWorkerOfferResponse = vi.fn();
    const onError = vi.fn();
    const app = express().use(parser);
    app.use(webhookRouter({ ...quietOptions, secret: whsec, scheme, onWorkerOfferResponse, onError }));
    const { url } = await serve(app);
    const post = (init: RequestInit) => fetch(`${url}/offer/response`, init);
    return { post, onWorkerOfferResponse, onError };
  }

  test.each([
    ["express.raw()", express.raw({ type: "*/*" })],
    ["express.text()", express.text({ type: "*/*" })],
    [
      "a parser that sets rawBody",
      express.json({ verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }) }),
    ],
  ])("after %s, the original bytes are verified", async (_, parser) => {
    const { post, onWorkerOfferResponse } = await serveBehind(parser);
    expect((await post({ ...createSignedRequest(body), body: `${body} ` })).status).toBe(401);
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
    expect((await post(createSignedRequest(body))).status).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledExactlyOnceWith(acceptedResponse, expect.anything());
  });

  test("after express.json(), the signed bytes are lost, and the 500 explains what to change", async () => {
    const { post, onWorkerOfferResponse, onError } = await serveBehind(express.json());
    for (const init of [createSignedRequest(body), { ...createSignedRequest("{}"), body }]) {
      const response = await post(init);
      expect(response.status).toBe(500);
      expect(await response.json()).toMatchObject({
        code: "body_already_consumed",
        detail: expect.stringContaining("Mount the receiver before the parser"),
      });
      expect(onError).toHaveBeenLastCalledWith(expect.objectContaining({ code: "body_already_consumed" }));
    }
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
  });

  test("verifyWebhook passes the signed bytes to your own route", async () => {
    const app = express();
    app.post("/own", verifyWebhook({ ...quietOptions, secret: whsec, scheme }), (request, response) => {
      response.end(Buffer.from(request.webhook?.body ?? []).toString("hex"));
    });
    const { url } = await serve(app);
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const response = await fetch(`${url}/own`, createSignedRequest(bytes));
    expect([response.status, await response.text()]).toEqual([200, Buffer.from(bytes).toString("hex")]);
    expect((await fetch(`${url}/own`, { ...createSignedRequest(bytes), body: bytes.subarray(1) })).status).toBe(401);
  });
});
