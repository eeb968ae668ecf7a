import { expect, test, vi } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import { ConfigurationError, memoryDeduplication } from "../../src/index.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";
import { captureConsole } from "../support/capture-console.ts";
import { createJsonHeaders, express4, secret, serve } from "../support/serve.ts";

captureConsole();

/** Creates headers that were signed `seconds` ago. Signatures from the same millisecond would be identical. */
const createPastHeaders = (seconds: number) => ({
  ...timestampDigest().sign({ secret, now: new Date(Date.now() - seconds * 1_000) }),
  "content-type": "application/json",
});

async function mount(options: Partial<ReceiverOptions> = {}) {
  const handler = vi.fn();
  const onRejected = vi.fn();
  const app = express4();
  app.use(
    webhookRouter({
      secret,
      replayProtection: "single-use-signature",
      onWorkerOfferResponse: handler,
      onWorkerAddedContact: handler,
      suggestContacts: () => [],
      onRejected,
      ...options,
    }),
  );
  const { url } = await serve(app);
  const get = async (path: string, headers: Record<string, string>) => (await fetch(url + path, { headers })).status;
  const post = async (path: string, body: unknown, headers: Record<string, string>) =>
    (await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })).status;
  const sendResponse = (workerId: string, headers: Record<string, string>) =>
    post("/offer/response", { offerId: "o1", workerId, response: "accepted" }, headers);
  const rejectionCodes = () => onRejected.mock.calls.map(([{ code }]) => code);
  return { handler, get, post, sendResponse, rejectionCodes };
}

test("a signature that was used for one request is rejected in any other request [D-58]", async () => {
  const { handler, get, post, sendResponse, rejectionCodes } = await mount();
  const headers = createJsonHeaders();
  expect(await sendResponse("amal", headers)).toBe(200);
  expect(await sendResponse("ben", headers)).toBe(401);
  expect(await get("/contact/new/amal", headers)).toBe(401);
  expect(await get("/test/auth", headers)).toBe(401);
  expect(await post("/contact-suggestions", { userEmailAddresses: [] }, headers)).toBe(401);
  expect(handler).toHaveBeenCalledTimes(1);
  expect(rejectionCodes()).toEqual(Array(4).fill("signature_reused"));
});

test("a repeated event is still acknowledged [D-58]", async () => {
  const { handler, sendResponse } = await mount();
  const headers = createJsonHeaders();
  expect([await sendResponse("amal", headers), await sendResponse("amal", headers)]).toEqual([200, 200]);
  expect(handler).toHaveBeenCalledTimes(1);
});

test("a signature is accepted for only one search or one /test/auth request", async () => {
  const { get, post } = await mount();
  const [searchHeaders, authHeaders] = [createPastHeaders(1), createPastHeaders(2)];
  expect(await post("/contact-suggestions", { userEmailAddresses: [] }, searchHeaders)).toBe(200);
  expect(await post("/contact-suggestions", { userEmailAddresses: [] }, searchHeaders)).toBe(401);
  expect([await get("/test/auth", authHeaders), await get("/test/auth", authHeaders)]).toEqual([200, 401]);
});

test("each request with its own signature is handled", async () => {
  const { handler, sendResponse } = await mount();
  for (const [index, worker] of ["amal", "ben", "chi"].entries())
    expect(await sendResponse(worker, createPastHeaders(index))).toBe(200);
  expect(handler).toHaveBeenCalledTimes(3);
});

test("after a handler fails, the same request can use its signature again", async () => {
  const onWorkerOfferResponse = vi.fn().mockRejectedValueOnce(new Error("database")).mockResolvedValue(undefined);
  const { sendResponse } = await mount({ onWorkerOfferResponse });
  const headers = createJsonHeaders();
  expect([await sendResponse("amal", headers), await sendResponse("amal", headers)]).toEqual([500, 200]);
});

test("of many concurrent requests with one signature, one is accepted", async () => {
  const { handler, sendResponse } = await mount();
  const headers = createJsonHeaders();
  const workers = Array.from({ length: 20 }, (_, index) => `worker_${index}`);
  const statuses = await Promise.all(workers.map((worker) => sendResponse(worker, headers)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 401)).toHaveLength(19);
  expect(handler).toHaveBeenCalledTimes(1);
});

test("a request that is rejected for its signature does not leave a lease", async () => {
  const inner = memoryDeduplication();
  const leases = new Map<string, string>();
  const { sendResponse } = await mount({
    deduplication: {
      async acquire(key, options) {
        const result = await inner.acquire(key, options);
        if (result.state === "acquired") leases.set(key, result.token);
        return result;
      },
      complete(key, ...rest) {
        leases.delete(key);
        return inner.complete(key, ...rest);
      },
      release(key, token) {
        leases.delete(key);
        return inner.release(key, token);
      },
    },
  });
  const headers = createJsonHeaders();
  expect([await sendResponse("amal", headers), await sendResponse("ben", headers)]).toEqual([200, 401]);
  expect(leases.size).toBe(0);
});

test("any other value of replayProtection is rejected", () => {
  expect(() => webhookRouter({ secret, replayProtection: "once" as "single-use-signature" })).toThrow(
    ConfigurationError,
  );
});
