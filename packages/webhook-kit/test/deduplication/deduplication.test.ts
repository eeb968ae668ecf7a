import { describe, expect, test, vi } from "vitest";
import { memoryDeduplication, timestampDigest, type WorkerAddedContact } from "../../src/index.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { anyAdapter } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { addressOf } from "../support/mount.ts";
import { secret } from "../support/serve.ts";

captureConsole();

const sign = (now = new Date()) => ({ ...timestampDigest().sign({ secret, now }) });
const responseOf = (workerId: string, response = "accepted") => ({ offerId: "offer_4f1c2a", workerId, response });

describe.each(anyAdapter)("$name", (adapter) => {
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
    const headers = sign();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const response = await request(responseOf("amal"), headers);
      expect([response.status, await response.text()]).toEqual([200, ""]);
    }
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  test("a signature in another letter case is the same request", async () => {
    const onWorkerOfferResponse = vi.fn();
    const request = await mount({ onWorkerOfferResponse });
    const { Timestamp, Authorization } = sign();
    await request(responseOf("amal"), { Timestamp, Authorization });
    await request(responseOf("amal"), { Timestamp, Authorization: Authorization.toLowerCase() });
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  test("different events under one signature are all handled [D-45] [D-58]", async () => {
    const handled: string[] = [];
    const request = await mount({ onWorkerOfferResponse: ({ workerId }) => handled.push(workerId) });
    const headers = sign();
    const workers = Array.from({ length: 50 }, (_, index) => `worker_${index}`);
    await Promise.all(workers.map((worker) => request(responseOf(worker), headers)));
    expect(handled.sort()).toEqual(workers.sort());
  });

  test("the same signature may cover several contacts, which differ only in the path", async () => {
    const handled: string[] = [];
    const onWorkerAddedContact = ({ workerId }: WorkerAddedContact) => handled.push(workerId);
    const { url } = await adapter.serve({ secret, onWorkerAddedContact });
    const headers = sign();
    for (const workerId of ["amal", "ben", "amal"]) await fetch(`${url}/contact/new/${workerId}`, { headers });
    expect(handled).toEqual(["amal", "ben"]);
  });

  test("a receiver that is mounted twice treats requests to each path as different", async () => {
    const handled: unknown[] = [];
    const placeOf = (request: unknown) => /north|south/.exec(addressOf(request))?.[0];
    const { url } = await adapter.serve(
      { secret, onWorkerAddedContact: (_, { request }) => handled.push(placeOf(request)) },
      "/:place",
    );
    const headers = sign();
    for (const place of ["north", "south", "north"]) await fetch(`${url}/${place}/contact/new/amal`, { headers });
    expect(handled).toEqual(["north", "south"]);
  });

  test("a request with another query is a different request", async () => {
    const onWorkerAddedContact = vi.fn();
    const { url } = await adapter.serve({ secret, onWorkerAddedContact });
    const headers = sign();
    for (const query of ["", "?page=1", "?page=2", "?page=1"])
      await fetch(`${url}/contact/new/amal${query}`, { headers });
    expect(onWorkerAddedContact).toHaveBeenCalledTimes(3);
  });

  test("the delivery id does not identify a request", async () => {
    const onWorkerOfferResponse = vi.fn();
    const request = await mount({ onWorkerOfferResponse });
    const headers = sign();
    await request(responseOf("amal"), { ...headers, "Offers-Delivery-Id": "d1" });
    await request(responseOf("amal"), { ...headers, "Offers-Delivery-Id": "d2" });
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  test("while the handler is running, the same request gets 409 with Retry-After [D-45]", async () => {
    let finish = () => {};
    const onWorkerOfferResponse = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    const request = await mount({ onWorkerOfferResponse });
    const headers = sign();
    const first = request(responseOf("amal"), headers);
    await vi.waitFor(() => expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1), { timeout: 60_000 });
    const second = await request(responseOf("amal"), headers);
    expect(second.status).toBe(409);
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    finish();
    expect((await first).status).toBe(200);
    expect((await request(responseOf("amal"), headers)).status).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  test("a handler that failed is run again for the same request", async () => {
    const onWorkerOfferResponse = vi.fn().mockRejectedValueOnce(new Error("database")).mockResolvedValue(undefined);
    const request = await mount({ onWorkerOfferResponse });
    const headers = sign();
    expect((await request(responseOf("amal"), headers)).status).toBe(500);
    expect((await request(responseOf("amal"), headers)).status).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(2);
  });

  /** Only the test moves the clock, except for the handler timeout. */
  async function mountOverdue(onWorkerOfferResponse: () => unknown) {
    const clock = { ms: Date.parse("2026-11-20T09:30:00.000Z") };
    const now = () => new Date(clock.ms);
    const post = await mount({ onWorkerOfferResponse, now, handlerTimeoutMs: 30 });
    const headers = sign(now());
    return { clock, request: () => post(responseOf("amal"), headers) };
  }

  test("after a timeout no second handler starts, and the first counts if it succeeds", async () => {
    let finish = () => {};
    const onWorkerOfferResponse = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
    const { request } = await mountOverdue(onWorkerOfferResponse);
    expect((await request()).status).toBe(503);
    const second = await request();
    expect([second.status, second.headers.get("retry-after")]).toEqual([409, "2"]);
    finish();
    await vi.waitFor(async () => expect((await request()).status).toBe(200), { timeout: 60_000 });
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  test("a handler that timed out and failed is run again", async () => {
    let fail = (_: Error) => {};
    const onWorkerOfferResponse = vi
      .fn()
      .mockImplementationOnce(() => new Promise<void>((_, reject) => (fail = reject)))
      .mockResolvedValue(undefined);
    const { request } = await mountOverdue(onWorkerOfferResponse);
    expect((await request()).status).toBe(503);
    expect((await request()).status).toBe(409);
    fail(new Error("late"));
    await vi.waitFor(async () => expect((await request()).status).toBe(200), { timeout: 60_000 });
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(2);
  });

  test("a handler that never ends holds its request for twice its timeout plus a second", async () => {
    const onWorkerOfferResponse = vi.fn(() => new Promise<void>(() => undefined));
    const { clock, request } = await mountOverdue(onWorkerOfferResponse);
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
    const headers = sign();
    await request(responseOf("amal"), { ...headers, Authorization: `hmac ${"0".repeat(64)}` });
    await request({ offerId: "" }, headers);
    for (let search = 0; search < 2; search += 1)
      expect((await request({ userEmailAddresses: [] }, headers, "/contact-suggestions")).status).toBe(200);
    expect([acquire.mock.calls.length, suggestContacts.mock.calls.length]).toEqual([0, 2]);
  });

  test("a record is kept as long as its headers could be used again [D-45]", async () => {
    const complete = vi.fn();
    const deduplication = { ...memoryDeduplication(), complete };
    const now = new Date("2026-11-20T09:30:10.000Z");
    // printf '%s' '2026-11-20T09:30Z5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52' | openssl dgst -sha256
    const byMinute = {
      Timestamp: "2026-11-20T09:30Z",
      Authorization: "hmac c7e61ef1d6eb20b5b5aacb327f4ad923cd3b8f1e615620a360915aa6f2f029a8",
    };
    const request = await mount({
      deduplication,
      toleranceSeconds: 100,
      now: () => now,
      onWorkerOfferResponse: () => undefined,
    });
    expect((await request(responseOf("amal"), sign(now))).status).toBe(200);
    expect((await request(responseOf("amal"), byMinute)).status).toBe(200);
    expect(complete.mock.calls.map(([, , status, keepMs]) => [status, keepMs])).toEqual([
      [200, 200_000],
      [200, 259_999],
    ]);
  });

  test("with a full store, the response is 503 and no handler runs", async () => {
    const onWorkerOfferResponse = vi.fn();
    const onError = vi.fn();
    const request = await mount({
      onWorkerOfferResponse,
      onError,
      deduplication: memoryDeduplication({ maxEntries: 1 }),
    });
    const headers = sign();
    expect((await request(responseOf("amal"), headers)).status).toBe(200);
    expect((await request(responseOf("ben"), headers)).status).toBe(503);
    expect((await request(responseOf("amal"), headers)).status).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "deduplication_full" }));
  });

  test("a store that fails in acquire results in 503; a later failure does not undo the handler's work", async () => {
    const cause = new Error("connection lost");
    const fail = () => Promise.reject(cause);
    const onError = vi.fn();
    const onWorkerOfferResponse = vi.fn();
    const atClaim = await mount({
      onError,
      onWorkerOfferResponse,
      deduplication: { ...memoryDeduplication(), acquire: fail },
    });
    expect((await atClaim(responseOf("amal"), sign())).status).toBe(503);
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
    const after = await mount({
      onError,
      onWorkerOfferResponse,
      deduplication: { ...memoryDeduplication(), complete: fail },
    });
    expect((await after(responseOf("amal"), sign())).status).toBe(200);
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
    expect((await request(responseOf("amal"), sign())).status).toBe(200);
    expect(error).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: "deduplication_failed", endpoint: "WorkerOfferResponse" }),
      expect.any(String),
    );
  });

  test("two tenants with the same store and the same signature do not share records", async () => {
    const deduplication = memoryDeduplication();
    const scheme = {
      ...timestampDigest(),
      // Like a scheme with a signed id: the id alone identifies a duplicate.
      parse: (rawHeaders: readonly string[]) => ({ ...timestampDigest().parse(rawHeaders), id: "msg_1" }),
    };
    const handled: string[] = [];
    for (const tenantSecret of [secret, "another-secret-of-theirs"]) {
      const request = await mount({
        secret: () => tenantSecret,
        scheme,
        deduplication,
        onWorkerOfferResponse: () => handled.push(tenantSecret),
      });
      const headers = { ...timestampDigest().sign({ secret: tenantSecret, now: new Date() }) };
      await request(responseOf("amal"), headers);
      await request(responseOf("amal"), headers);
    }
    expect(handled).toEqual([secret, "another-secret-of-theirs"]);
  });
});
