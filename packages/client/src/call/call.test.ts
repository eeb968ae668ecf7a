import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { input, offer } from "../../test/support/offer.ts";
import type { Fetch, OffersRequest } from "../http.ts";
import { OffersClient } from "../offers-client.ts";
import type { OffersClientOptions } from "../options/options.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const options: OffersClientOptions = { baseUrl: "https://service.example", apiKey: "key" };
const withoutRetries: OffersClientOptions = { ...options, maxRetries: 0 };
const failingFetch: Fetch = () => Promise.reject(new TypeError("fetch failed"));

/** Creates a fetch that responds with each status in turn and records the delays between the requests. */
function createFetch(statuses: number[], headers: Record<string, string> = {}) {
  const times: number[] = [];
  const fetch: Fetch = async () => {
    times.push(performance.now());
    const status = statuses.shift() ?? expect.unreachable();
    return new Response(status === 200 ? JSON.stringify(offer) : null, { status, headers });
  };
  const delays = () => times.slice(1).map((time, index) => Math.round(time - (times[index] ?? 0)));
  return { fetch, delays };
}

/** Returns the error that a call rejects with. Skips all delays on the fake clock. */
async function catchError(call: Promise<unknown>) {
  const error = call.then(
    () => expect.unreachable(),
    (thrown) => thrown,
  );
  await vi.runAllTimersAsync();
  return error;
}

test("the delays grow, with jitter, until maxRetries is reached", async () => {
  const { fetch, delays } = createFetch([503, 500, 502, 504]);
  const error = await catchError(new OffersClient({ ...options, fetch, maxRetries: 3 }).getOffer("a"));
  expect(error).toMatchObject({ status: 504, attempts: 4 });
  expect(delays()).toEqual([375, 750, 1_500]);
});

test("a call fails without waiting if the next delay would exceed totalTimeoutMs", async () => {
  const { fetch, delays } = createFetch([503, 503, 503], { "retry-after": "20" });
  const limits = { totalTimeoutMs: 40_000, maxRetries: 9 };
  const error = await catchError(new OffersClient({ ...options, fetch, ...limits }).getOffer("a"));
  expect(error).toMatchObject({ status: 503, attempts: 2 });
  expect(delays()).toEqual([20_000]);
});

test("refreshing the key does not use up a retry", async () => {
  const { fetch, delays } = createFetch([401, 503, 200]);
  const apiKey: OffersClientOptions["apiKey"] = ({ refresh }) => (refresh ? "fresh" : "stale");
  const call = new OffersClient({ ...options, fetch, apiKey, maxRetries: 1 }).getOffer("a");
  await vi.runAllTimersAsync();
  expect(await call).toEqual(offer);
  expect(delays()).toEqual([0, 375]);
});

test("a key is refreshed only once", async () => {
  const { fetch } = createFetch([401, 401]);
  let keyCount = 0;
  const apiKey = () => {
    keyCount += 1;
    return `key-${keyCount}`;
  };
  expect(await catchError(new OffersClient({ ...options, fetch, apiKey }).getOffer("a"))).toMatchObject({
    attempts: 2,
  });
  expect(keyCount).toBe(2);
});

test("a creation is sent only once if the connection breaks while the response is read, even with EHOSTUNREACH", async () => {
  const cause = Object.assign(new Error("read EHOSTUNREACH"), { code: "EHOSTUNREACH", syscall: "read" });
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
  const error = await catchError(new OffersClient({ ...options, fetch }).createOffer(input));
  expect(error).toMatchObject({ code: "connection_lost", attempts: 1 });
});

test("a failed attempt is logged even when the key cannot be refreshed", async () => {
  const { fetch } = createFetch([401]);
  const lines: unknown[] = [];
  const client = new OffersClient({
    ...options,
    fetch,
    apiKey: ({ refresh }) => (refresh ? Promise.reject(new Error("vault is sealed")) : "stale"),
    logger: { debug: () => expect.unreachable(), warn: (fields) => void lines.push(fields) },
  });
  expect(await catchError(client.getOffer("a"))).toMatchObject({ code: "api_key_provider_failed", attempts: 1 });
  expect(lines).toEqual([
    {
      operation: "GetOffer",
      attempt: 1,
      transport: "fetch",
      durationMs: 0,
      status: 401,
      code: "unauthenticated",
      retryDelayMs: undefined,
    },
  ]);
});

type Perform = (client: OffersClient) => Promise<unknown>;

async function captureRequest(perform: Perform) {
  let sentRequest: OffersRequest | undefined;
  const fetch: Fetch = async (_url, init) => {
    sentRequest = init;
    return new Response(null, { status: 204 });
  };
  await perform(new OffersClient({ ...withoutRetries, fetch }));
  return sentRequest ?? expect.unreachable();
}

test("a request without a body has neither content headers nor an idempotency key", async () => {
  const { body, headers } = await captureRequest((client) => client.withdrawOffer("a"));
  expect(body).toBeNull();
  expect(Object.keys(headers).sort()).toEqual(["accept", "user-agent", "x-ue-api-subscription-key"]);
});

test("a request with a body has a content type and an idempotency key", async () => {
  const { body, headers } = await captureRequest((client) => client.completeOffer("a", ["w"]));
  expect(body).toBe('["w"]');
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "idempotency-key": expect.stringMatching(/^[\da-f-]{36}$/),
  });
});

const performers: [string, Perform][] = [
  ["CompleteOffer", (client) => client.completeOffer("a", ["w"])],
  ["WithdrawOffer", (client) => client.withdrawOffer("a")],
  ["GetOffer", (client) => client.getOffer("a")],
];

test.each(performers)("an error from %s contains the name of the operation", async (name, perform) => {
  const client = new OffersClient({ ...withoutRetries, fetch: failingFetch });
  expect((await catchError(perform(client))).operation).toBe(name);
});

test.each([
  [{ idempotencyKey: "" }, 'idempotencyKey is ""; is the environment variable set?'],
  [{ headers: { "x team": "a" } }, "invalid header name in headers"],
  [{ headers: { "x-team": "" } }, 'x-team is ""'],
])("the error message for the call options %o contains: %s", async (callOptions, reason) => {
  const { message } = await catchError(new OffersClient(options).completeOffer("a", [], callOptions));
  expect(message).toContain(`CompleteOffer: ${reason}`);
});

test("the error message for an invalid key starts with apiKey", () =>
  expect(() => new OffersClient({ ...options, apiKey: "" })).toThrow(/^apiKey is ""/));

test("the error for a failing apiKey function includes what the function threw", async () => {
  const apiKey = () => Promise.reject(new Error("vault is sealed"));
  const { message } = await catchError(new OffersClient({ ...options, apiKey }).getOffer("a"));
  expect(message).toBe("GetOffer: the apiKey function failed (Error: vault is sealed)");
});

/** Creates middleware that records the errors that pass through it. */
function createErrorRecorder() {
  const seenErrors: unknown[] = [];
  const middleware: OffersClientOptions["middleware"] = [
    (request, next) =>
      next(request).catch((error) => {
        seenErrors.push(error);
        throw error;
      }),
  ];
  return { seenErrors, middleware };
}

test("when fetch fails, middleware sees the same error that the call rejects with", async () => {
  const { seenErrors, middleware } = createErrorRecorder();
  const error = await catchError(
    new OffersClient({ ...withoutRetries, fetch: failingFetch, middleware }).getOffer("a"),
  );
  expect(error).toMatchObject({ name: "ConnectionError", code: "connection_lost", attempts: 1, operation: "GetOffer" });
  expect(seenErrors).toHaveLength(1);
  expect(seenErrors[0]).toBe(error);
});

test.each([
  ["rejects with undefined", () => Promise.reject(undefined)],
  [
    "throws before it returns a promise",
    () => {
      throw new TypeError("fetch failed");
    },
  ],
])("a fetch that %s behind middleware counts as a lost connection", async (_what, fetch) => {
  const client = new OffersClient({ ...withoutRetries, fetch, middleware: [(request, next) => next(request)] });
  expect(await catchError(client.getOffer("a"))).toMatchObject({ name: "ConnectionError", code: "connection_lost" });
});

test("after a timeout, middleware sees the same error that the call rejects with", async () => {
  const { seenErrors, middleware } = createErrorRecorder();
  const fetch: Fetch = (_url, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const error = await catchError(new OffersClient({ ...withoutRetries, fetch, middleware }).getOffer("a"));
  expect(error).toMatchObject({ name: "TimeoutError", attempts: 1 });
  expect(seenErrors[0]).toBe(error);
});

async function captureBody(perform: Perform): Promise<unknown> {
  const fetch = vi.fn(async (..._args: [url: string, init: RequestInit]) => new Response(null, { status: 204 }));
  vi.stubGlobal("fetch", fetch);
  await perform(new OffersClient(options)).finally(() => vi.unstubAllGlobals());
  return fetch.mock.calls[0]?.[1].body;
}
const complete: Perform = (client) => client.completeOffer("a", ["Küche"]);

test("the runtime's fetch receives the body as a string", async () =>
  expect(await captureBody(complete)).toBe('["Küche"]'));

test("Deno's fetch receives the body as a Blob, because it would resend a string when a reused connection breaks", async () => {
  vi.stubGlobal("Deno", {});
  const sentBody = await captureBody(complete);
  expect(sentBody).toBeInstanceOf(Blob);
  expect(await (sentBody as Blob).text()).toBe('["Küche"]');
  vi.stubGlobal("Deno", {});
  expect(await captureBody((client) => client.withdrawOffer("a"))).toBeNull();
});
