import { describe, expect, test, vi } from "vitest";
import { memoryDeduplication, timestampDigest, type WorkerAddedContact } from "../../src/index.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { sampleAdapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { getRequestTarget } from "../support/mount.ts";
import { secret } from "../support/serve.ts";

captureConsole();

const signHeaders = (now = new Date()) => ({ ...timestampDigest().sign({ secret, now }) });
const offerResponse = (workerId: string, response = "accepted") => ({ offerId: "offer_4f1c2a", workerId, response });

describe.each(sampleAdapters)("$name", (adapter) => {
  /** Mounts a receiver, and returns a function that posts to it. */
  async function mount(options: Partial<ReceiverOptions>) {
    const { url } = await adapter.serve({ secret, ...options });
    return (body: unknown, headers: Record<string, string>, path = "/offer/response") =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
  }

  test("an identical request is acknowledged again without running the handler [D-45]", async () => {
    const onWorkerOfferResponse = vi.fn();
    const request = await mount({ onWorkerOfferResponse });
    const headers = signHeaders();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const response = await request(offerResponse("amal"), headers);
      expect([response.status, await response.text()]).toEqual([200, ""]);
    }
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  test("two requests whose signatures differ only in letter case are duplicates", async () => {
    const onWorkerOfferResponse = vi.fn();
    const request = await mount({ onWorkerOfferResponse });
    const { Timestamp, Authorization } = signHeaders();
    await request(offerResponse("amal"), { Timestamp, Authorization });
    await request(offerResponse("amal"), { Timestamp, Authorization: Authorization.toLowerCase() });
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  test("different events under one signature are all handled [D-45] [D-58]", async () => {
    const handled: string[] = [];
    const request = await mount({ onWorkerOfferResponse: ({ workerId }) => handled.push(workerId) });
    const headers = signHeaders();
    const workers = Array.from({ length: 50 }, (_, index) => `worker_${index}`);
    await Promise.all(workers.map((worker) => request(offerResponse(worker), headers)));
    expect(handled.sort()).toEqual(workers.sort());
  });

  test("the same signature may cover several contacts, which differ only in the path", async () => {
    const handled: string[] = [];
    const onWorkerAddedContact = ({ workerId }: WorkerAddedContact) => handled.push(workerId);
    const { url } = await adapter.serve({ secret, onWorkerAddedContact });
    const headers = signHeaders();
    for (const workerId of ["amal", "ben", "amal"]) await fetch(`${url}/contact/new/${workerId}`, { headers });
    expect(handled).toEqual(["amal", "ben"]);
  });

  test("a receiver mounted at two paths handles the same event once at each", async () => {
    const handled: unknown[] = [];
    const findPlace = (request: unknown) => /north|south/.exec(getRequestTarget(request))?.[0];
    const { url } = await adapter.serve(
      { secret, onWorkerAddedContact: (_, { request }) => handled.push(findPlace(request)) },
      "/:place",
    );
    const headers = signHeaders();
    for (const place of ["north", "south", "north"]) await fetch(`${url}/${place}/contact/new/amal`, { headers });
    expect(handled).toEqual(["north", "south"]);
  });

  test("requests that differ only in the query are not duplicates", async () => {
    const onWorkerAddedContact = vi.fn();
    const { url } = await adapter.serve({ secret, onWorkerAddedContact });
    const headers = signHeaders();
    for (const query of ["", "?page=1", "?page=2", "?page=1"])
      await fetch(`${url}/contact/new/amal${query}`, { headers });
    expect(onWorkerAddedContact).toHaveBeenCalledTimes(3);
  });

  test("requests that differ only in the delivery id are duplicates", async () => {
    const onWorkerOfferResponse = vi.fn();
    const request = await mount({ onWorkerOfferResponse });
    const headers = signHeaders();
    await request(offerResponse("amal"), { ...headers, "Offers-Delivery-Id": "d1" });
    await request(offerResponse("amal"), { ...headers, "Offers-Delivery-Id": "d2" });
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  /** Creates a handler that does not finish until the test calls `finish`. */
  function createPendingHandler() {
    let resolveRun = () => {};
    const handler = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          resolveRun = resolve;
        }),
    );
    return { handler, finish: () => resolveRun() };
  }

  test("while the handler is running, the same request gets 409 with Retry-After [D-45]", async () => {
    const { handler: onWorkerOfferResponse, finish } = createPendingHandler();
    const request = await mount({ onWorkerOfferResponse });
    const headers = signHeaders();
    const first = request(offerResponse("amal"), headers);
    await vi.waitFor(() => expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1), { timeout: 60_000 });
    const second = await request(offerResponse("amal"), headers);
    expect(second.status).toBe(409);
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    finish();
    expect((await first).status).toBe(200);
    expect((await request(offerResponse("amal"), headers)).status).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  test("after a handler fails, the same request runs it again", async () => {
    const onWorkerOfferResponse = vi.fn().mockRejectedValueOnce(new Error("database")).mockResolvedValue(undefined);
    const request = await mount({ onWorkerOfferResponse });
    const headers = signHeaders();
    expect((await request(offerResponse("amal"), headers)).status).toBe(500);
    expect((await request(offerResponse("amal"), headers)).status).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(2);
  });

  /** Mounts a receiver whose clock only the test advances. The handler timeout of 30 ms still runs in real time. */
  async function mountWithClock(onWorkerOfferResponse: () => unknown) {
    const clock = { ms: Date.parse("2026-11-20T09:30:00.000Z") };
    const now = () => new Date(clock.ms);
    const post = await mount({ onWorkerOfferResponse, now, handlerTimeoutMs: 30 });
    const headers = signHeaders(now());
    return { clock, request: () => post(offerResponse("amal"), headers) };
  }

  test("a handler that timed out is not started again while it runs, and a retry is acknowledged once it succeeds", async () => {
    const { handler: onWorkerOfferResponse, finish } = createPendingHandler();
    const { request } = await mountWithClock(onWorkerOfferResponse);
    expect((await request()).status).toBe(503);
    const second = await request();
    expect([second.status, second.headers.get("retry-after")]).toEqual([409, "2"]);
    finish();
    await vi.waitFor(async () => expect((await request()).status).toBe(200), { timeout: 60_000 });
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  test("after a handler times out and then fails, the same request runs it again", async () => {
    let fail = (_: Error) => {};
    const onWorkerOfferResponse = vi
      .fn()
      .mockImplementationOnce(
        () =>
          new Promise<void>((_, reject) => {
            fail = reject;
          }),
      )
      .mockResolvedValue(undefined);
    const { request } = await mountWithClock(onWorkerOfferResponse);
    expect((await request()).status).toBe(503);
    expect((await request()).status).toBe(409);
    fail(new Error("late"));
    await vi.waitFor(async () => expect((await request()).status).toBe(200), { timeout: 60_000 });
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(2);
  });

  test("a handler that never finishes blocks retries for twice its timeout plus a second", async () => {
    const onWorkerOfferResponse = vi.fn(() => new Promise<void>(() => undefined));
    const { clock, request } = await mountWithClock(onWorkerOfferResponse);
    expect((await request()).status).toBe(503);
    clock.ms += 1_059;
    expect((await request()).status).toBe(409);
    clock.ms += 1;
    expect((await request()).status).toBe(503);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(2);
  });

  test("no key is acquired for a rejected request or a search", async () => {
    const acquire = vi.fn(memoryDeduplication().acquire);
    const deduplication = { ...memoryDeduplication(), acquire };
    const suggestContacts = vi.fn(() => []);
    const request = await mount({ deduplication, suggestContacts, onWorkerOfferResponse: () => undefined });
    const headers = signHeaders();
    await request(offerResponse("amal"), { ...headers, Authorization: `hmac ${"0".repeat(64)}` });
    await request({ offerId: "" }, headers);
    for (let search = 0; search < 2; search += 1)
      expect((await request({ userEmailAddresses: [] }, headers, "/contact-suggestions")).status).toBe(200);
    expect([acquire.mock.calls.length, suggestContacts.mock.calls.length]).toEqual([0, 2]);
  });

  test("a record is stored for as long as the signed headers remain valid [D-45]", async () => {
    const complete = vi.fn();
    const deduplication = { ...memoryDeduplication(), complete };
    const now = new Date("2026-11-20T09:30:10.000Z");
    // printf '%s' '2026-11-20T09:30Z5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52' | openssl dgst -sha256
    const minuteHeaders = {
      Timestamp: "2026-11-20T09:30Z",
      Authorization: "hmac c7e61ef1d6eb20b5b5aacb327f4ad923cd3b8f1e615620a360915aa6f2f029a8",
    };
    const request = await mount({
      deduplication,
      toleranceSeconds: 100,
      now: () => now,
      onWorkerOfferResponse: () => undefined,
    });
    expect((await request(offerResponse("amal"), signHeaders(now))).status).toBe(200);
    expect((await request(offerResponse("amal"), minuteHeaders)).status).toBe(200);
    expect(complete.mock.calls.map(([, , status, keepMs]) => [status, keepMs])).toEqual([
      [200, 200_000],
      [200, 259_999],
    ]);
  });

  test("when the store is full, the response is 503 and the handler does not run", async () => {
    const onWorkerOfferResponse = vi.fn();
    const onError = vi.fn();
    const request = await mount({
      onWorkerOfferResponse,
      onError,
      deduplication: memoryDeduplication({ maxEntries: 1 }),
    });
    const headers = signHeaders();
    expect((await request(offerResponse("amal"), headers)).status).toBe(200);
    expect((await request(offerResponse("ben"), headers)).status).toBe(503);
    expect((await request(offerResponse("amal"), headers)).status).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "deduplication_full" }));
  });

  test("a store that fails in acquire results in 503, but a later failure does not undo the handler's work", async () => {
    const cause = new Error("connection lost");
    const fail = () => Promise.reject(cause);
    const onError = vi.fn();
    const onWorkerOfferResponse = vi.fn();
    const requestWithFailingAcquire = await mount({
      onError,
      onWorkerOfferResponse,
      deduplication: { ...memoryDeduplication(), acquire: fail },
    });
    expect((await requestWithFailingAcquire(offerResponse("amal"), signHeaders())).status).toBe(503);
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
    const requestWithFailingComplete = await mount({
      onError,
      onWorkerOfferResponse,
      deduplication: { ...memoryDeduplication(), complete: fail },
    });
    expect((await requestWithFailingComplete(offerResponse("amal"), signHeaders())).status).toBe(200);
    expect(onError.mock.calls.map(([error]) => [error.code, error.cause])).toEqual([
      ["deduplication_failed", cause],
      ["deduplication_failed", cause],
    ]);
  });

  test("a record that could not be written is logged with its endpoint", async () => {
    const error = vi.fn();
    const logger = { info: () => undefined, warn: () => undefined, error };
    const fail = () => Promise.reject(new Error("connection lost"));
    const deduplication = { ...memoryDeduplication(), complete: fail };
    const request = await mount({ deduplication, logger, onWorkerOfferResponse: () => undefined });
    expect((await request(offerResponse("amal"), signHeaders())).status).toBe(200);
    expect(error).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: "deduplication_failed", endpoint: "WorkerOfferResponse" }),
      expect.any(String),
    );
  });

  test("two tenants with the same store and the same signature do not share records", async () => {
    const deduplication = memoryDeduplication();
    const scheme = {
      ...timestampDigest(),
      // Imitates a scheme with a signed id, in which the id alone identifies a duplicate.
      parse: (rawHeaders: readonly string[]) => ({ ...timestampDigest().parse(rawHeaders), id: "msg_1" }),
    };
    const handled: string[] = [];
    for (const tenantSecret of [secret, "another-tenant's-secret"]) {
      const request = await mount({
        secret: () => tenantSecret,
        scheme,
        deduplication,
        onWorkerOfferResponse: () => handled.push(tenantSecret),
      });
      const headers = { ...timestampDigest().sign({ secret: tenantSecret, now: new Date() }) };
      await request(offerResponse("amal"), headers);
      await request(offerResponse("amal"), headers);
    }
    expect(handled).toEqual([secret, "another-tenant's-secret"]);
  });
});
