import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import type { AnyWebhookKitError, ReceiverOptions } from "../../src/index.ts";
import { sampleAdapters } from "../support/adapters.ts";
import { acceptedResponse, mount, post } from "../support/mount.ts";
import { createSignedHeaders } from "../support/serve.ts";

let consoleError: MockInstance<typeof console.error>;
beforeEach(() => {
  consoleError = vi.spyOn(console, "error").mockReturnValue(undefined);
  // Some receivers have no handler, and warn about it.
  vi.spyOn(console, "warn").mockReturnValue(undefined);
});
afterEach(() => void vi.restoreAllMocks());

const printedLines = () =>
  consoleError.mock.calls.map((line) =>
    line.map((part) => (typeof part === "string" ? part : inspect(part))).join(" "),
  );
const countOccurrences = (text: string, part: string) => text.split(part).length - 1;
const createError = () => new Error("BOOM from the user's own code");
const throwError = () => {
  throw createError();
};
const rejectLater = async () => {
  await Promise.resolve();
  throw createError();
};
const acquire = () => ({ state: "acquired", token: "1" }) as const;
const search = { userEmailAddresses: [] };

/** The failure, the receiver options, the request, the response status, and a pattern for the printed line. */
const failures: [string, Partial<ReceiverOptions>, string, RequestInit, number, RegExp][] = [
  [
    "a handler that throws",
    { onWorkerOfferResponse: throwError },
    "/offer/response",
    post(acceptedResponse),
    500,
    /handler_failed.*WorkerOfferResponse/,
  ],
  [
    "a handler that rejects",
    { onWorkerOfferResponse: rejectLater },
    "/offer/response",
    post(acceptedResponse),
    500,
    /handler_failed.*WorkerOfferResponse/,
  ],
  [
    "a GET handler that rejects",
    { onWorkerAddedContact: rejectLater },
    "/contact/new/amal",
    { headers: createSignedHeaders() },
    500,
    /handler_failed.*WorkerAddedContact/,
  ],
  [
    "suggestContacts that throws",
    { suggestContacts: throwError },
    "/contact-suggestions",
    post(search),
    500,
    /handler_failed.*ContactSuggestions/,
  ],
  [
    "a secret function that rejects",
    { secret: rejectLater },
    "/test/auth",
    { headers: createSignedHeaders() },
    503,
    /secret_lookup_failed.*TestAuth/,
  ],
  [
    "a clock that throws",
    { now: throwError, deduplication: false },
    "/test/auth",
    { headers: createSignedHeaders() },
    500,
    /internal_error.*TestAuth/,
  ],
  [
    "a tracer that throws",
    { tracer: { startActiveSpan: throwError } },
    "/test/auth",
    { headers: createSignedHeaders() },
    200,
    /tracer_failed.*TestAuth/,
  ],
  [
    "a store that cannot acquire",
    {
      onWorkerOfferResponse: () => undefined,
      deduplication: { acquire: rejectLater, complete: rejectLater, release: rejectLater },
    },
    "/offer/response",
    post(acceptedResponse),
    503,
    /deduplication_failed.*WorkerOfferResponse/,
  ],
  [
    "a store that cannot complete either of two records",
    {
      onWorkerOfferResponse: () => undefined,
      replayProtection: "single-use-signature",
      deduplication: { acquire, complete: rejectLater, release: rejectLater },
    },
    "/offer/response",
    post(acceptedResponse),
    200,
    /deduplication_failed.*WorkerOfferResponse/,
  ],
  [
    "a handler and a store that fail for the same reason",
    {
      onWorkerOfferResponse: rejectLater,
      replayProtection: "single-use-signature",
      deduplication: { acquire, complete: rejectLater, release: rejectLater },
    },
    "/offer/response",
    post(acceptedResponse),
    500,
    /handler_failed.*WorkerOfferResponse/,
  ],
];

describe.each(sampleAdapters)("$name", (adapter) => {
  test.each(failures)(
    "without a logger and onError, the error from %s is printed once, with its stack [D-49]",
    async (_, options, path, init, status, pattern) => {
      const request = await mount(adapter, options);
      expect((await request(path, init)).status).toBe(status);
      const [line = "", ...furtherLines] = printedLines();
      expect(furtherLines).toEqual([]);
      expect(line).toMatch(pattern);
      expect(countOccurrences(line, "BOOM from the user's own code")).toBe(1);
      expect(line).toMatch(/Error: BOOM(?:.|\n)*\n {4}at .*console\.test\.ts/);
    },
  );

  test("a failure is printed every time that it occurs", async () => {
    const error = createError();
    const request = await mount(adapter, { onWorkerAddedContact: () => Promise.reject(error) });
    await request("/contact/new/amal", { headers: createSignedHeaders() });
    await request("/contact/new/ben", { headers: createSignedHeaders() });
    expect(printedLines()).toHaveLength(2);
  });

  test("a handler timeout is printed once", async () => {
    const onWorkerOfferResponse = () => new Promise(() => undefined);
    const request = await mount(adapter, { handlerTimeoutMs: 20, onWorkerOfferResponse });
    expect((await request("/offer/response", post(acceptedResponse))).status).toBe(503);
    expect(printedLines()).toEqual([expect.stringMatching(/handler_timed_out.*WorkerOfferResponse.* more than 20 ms/)]);
    expect(printedLines().join()).not.toMatch(/undefined|Symbol\(/);
  });

  test("the error for invalid suggestions is printed once, with the invalid fields but without values", async () => {
    const list = [{ name: "PRIVATE", emailAddress: "PRIVATE", ratings: [] }];
    const request = await mount(adapter, { suggestContacts: () => list });
    expect((await request("/contact-suggestions", post(search))).status).toBe(500);
    expect(printedLines()).toEqual([
      expect.stringMatching(/invalid_handler_result.*\[0\]\.emailAddress: Must be an email address/),
    ]);
    expect(printedLines().join()).not.toContain("PRIVATE");
  });

  test("rejected requests print one warning per reason and no error, so that senders cannot flood the console [D-49]", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const withoutHook = { onRejected: undefined } as object;
    const request = await mount(adapter, { onEvent: () => undefined, ...withoutHook });
    await request("/test/auth");
    await request("/test/auth", { headers: { Timestamp: "soon", Authorization: "hmac 00" } });
    await request("/offer/response", post("{"));
    await request("/offer/response", { headers: createSignedHeaders() });
    await request("/nowhere", { headers: createSignedHeaders() });
    expect(consoleError).not.toHaveBeenCalled();
    // In Express, an unknown path goes to the next middleware.
    expect(warn).toHaveBeenCalledTimes(adapter.name.startsWith("Express") ? 4 : 5);
  });

  test.each<[string, (error: AnyWebhookKitError) => unknown]>([
    ["throws", throwError],
    ["rejects", rejectLater],
  ])("when onError %s, the original failure is printed", async (_, onError) => {
    const request = await mount(adapter, {
      onError,
      onWorkerAddedContact: () => Promise.reject(new Error("ORIGINAL")),
    });
    expect((await request("/contact/new/amal", { headers: createSignedHeaders() })).status).toBe(500);
    await vi.waitFor(() => expect(printedLines()).toEqual([expect.stringContaining("ORIGINAL")]));
  });

  test("a logger receives the error as err, and nothing is printed [D-49]", async () => {
    const cause = createError();
    const error = vi.fn();
    const logger = { info: vi.fn(), warn: vi.fn(), error };
    const request = await mount(adapter, { logger, onWorkerOfferResponse: () => Promise.reject(cause) });
    await request("/offer/response", post(acceptedResponse));
    expect(error).toHaveBeenCalledExactlyOnceWith(
      {
        code: "handler_failed",
        endpoint: "WorkerOfferResponse",
        message: expect.stringContaining("cause"),
        err: expect.objectContaining({ name: "HandlerError", cause }),
      },
      "webhook failed",
    );
    expect(consoleError).not.toHaveBeenCalled();
  });

  test("with onError alone, nothing is printed", async () => {
    const onError = vi.fn();
    const request = await mount(adapter, { onError, onWorkerOfferResponse: throwError });
    await request("/offer/response", post(acceptedResponse));
    expect(onError).toHaveBeenCalledOnce();
    expect(consoleError).not.toHaveBeenCalled();
  });

  test.each([[undefined], ["a word"], [{ odd: true }], [null]])("%j thrown by a handler is printed", async (thrown) => {
    const request = await mount(adapter, { onWorkerAddedContact: () => Promise.reject(thrown) });
    expect((await request("/contact/new/amal", { headers: createSignedHeaders() })).status).toBe(500);
    expect(consoleError.mock.calls).toEqual([
      [expect.stringContaining("handler_failed"), expect.stringContaining("WorkerAddedContact"), thrown],
    ]);
  });
});
