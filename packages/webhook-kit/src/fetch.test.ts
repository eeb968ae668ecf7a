import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import { captureConsole } from "../test/support/capture-console.ts";
import { memoryDeduplication } from "./deduplication/memory-deduplication.ts";
import { webhookHandler } from "./fetch.ts";
import type { ReceiverOptions } from "./options/options.ts";
import { timestampDigest } from "./signature/timestamp-digest.ts";

captureConsole();

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const quiet = { onRejected: () => undefined };
const accepted = JSON.stringify({ offerId: "offer_4f1c2a", workerId: "worker_amal", response: "accepted" });
const signedJsonHeaders = () => ({
  ...timestampDigest().sign({ secret, now: new Date() }),
  "content-type": "application/json",
});
const eventRequest = (init: RequestInit = {}) =>
  new Request("https://hooks.example/offer/response", {
    method: "POST",
    headers: signedJsonHeaders(),
    body: accepted,
    ...init,
  });

test.each([
  [{ secret, basePath: "offers" }, "invalid_option"],
  [{ secret, basePath: null }, "invalid_option"],
  [{ secret, basepath: "/offers" }, "invalid_option"],
  [{ secret: "short" }, "short_secret"],
  [{}, "invalid_secret"],
  [undefined, "invalid_option"],
])("%o is rejected at construction", (options, code) =>
  expect(() => webhookHandler(options as ReceiverOptions)).toThrow(expect.objectContaining({ code })),
);

test("the body is not read before the signature is verified", async () => {
  const pull = vi.fn((controller: ReadableStreamDefaultController) => {
    controller.enqueue(new TextEncoder().encode(accepted));
    controller.close();
  });
  const send = (headers: Record<string, string>) => {
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const init = { method: "POST", headers, body, duplex: "half" };
    return webhooks(new Request("https://hooks.example/offer/response", init));
  };
  const webhooks = webhookHandler({ ...quiet, secret, onWorkerOfferResponse: () => undefined });
  expect((await send({ ...signedJsonHeaders(), Authorization: `hmac ${"0".repeat(64)}` })).status).toBe(401);
  expect((await send({ ...signedJsonHeaders(), "content-type": "text/plain" })).status).toBe(415);
  expect(pull).not.toHaveBeenCalled();
  expect((await send(signedJsonHeaders())).status).toBe(200);
  expect(pull).toHaveBeenCalledTimes(1);
});

test("two headers that the runtime joined count as sent twice", async () => {
  const onRejected = vi.fn();
  const headers = new Headers(signedJsonHeaders());
  headers.append("Authorization", headers.get("Authorization") ?? "");
  const request = new Request("https://hooks.example/test/auth", { headers });
  expect((await webhookHandler({ secret, onRejected })(request)).status).toBe(401);
  expect(onRejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "duplicate_header" }));
});

test("a body that was already read results in a 500, and the error says what to change", async () => {
  const onError = vi.fn();
  const request = eventRequest();
  await request.json();
  const response = await webhookHandler({ secret, onError, onWorkerOfferResponse: () => undefined })(request);
  expect([response.status, (await response.json()).code]).toEqual([500, "body_already_consumed"]);
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "body_already_consumed" }));
});

test("a body above the limit gets 413, whether or not its length is declared", async () => {
  const webhooks = webhookHandler({ ...quiet, secret, maxBodyBytes: 10, onWorkerOfferResponse: () => undefined });
  expect((await webhooks(eventRequest())).status).toBe(413);
  expect((await webhooks(eventRequest({ headers: { ...signedJsonHeaders(), "content-length": "11" } }))).status).toBe(
    413,
  );
});

test("the response to HEAD has no body", async () => {
  const webhooks = webhookHandler({ ...quiet, secret });
  for (const [path, status] of [
    ["/test", 200],
    ["/test/auth", 405],
    ["/nothing", 404],
  ]) {
    const response = await webhooks(new Request(`https://hooks.example${path}`, { method: "HEAD" }));
    expect([response.status, response.body]).toEqual([status, null]);
  }
});

test("a response has no body if its status must not have one", async () => {
  const deduplication = { ...memoryDeduplication(), acquire: () => ({ state: "completed", status: 204 }) as const };
  const response = await webhookHandler({ secret, deduplication, onWorkerOfferResponse: () => undefined })(
    eventRequest(),
  );
  expect([response.status, response.body]).toEqual([204, null]);
});

test("the fragment and the query of a URL are not part of its path", async () => {
  const webhooks = webhookHandler({ ...quiet, secret, basePath: "/offers" });
  for (const end of ["", "?a=/b", "#a", "?#", "/?a#b"])
    expect((await webhooks(new Request(`https://hooks.example/offers/test${end}`))).status).toBe(200);
});

test("the receiver works in a framework that removes the mount path", async () => {
  const app = new Hono().mount("/offers", webhookHandler({ ...quiet, secret, onWorkerOfferResponse: () => undefined }));
  const responses = await Promise.all([
    app.request("/offers/test"),
    app.request("/offers/offer/response", { method: "POST", headers: signedJsonHeaders(), body: accepted }),
    app.request("/offers/nothing"),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 404]);
});

test("the receiver cannot read a body that Hono has read", async () => {
  const webhooks = webhookHandler({ secret, onWorkerOfferResponse: () => undefined });
  const app = new Hono().use(async ({ req }, next) => {
    await req.json();
    await next();
  });
  app.all("/*", ({ req }) => webhooks(req.raw));
  const response = await app.request("/offer/response", {
    method: "POST",
    headers: signedJsonHeaders(),
    body: accepted,
  });
  expect([response.status, (await response.json()).code]).toEqual([500, "body_already_consumed"]);
});
