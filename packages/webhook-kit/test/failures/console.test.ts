import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import type { AnyWebhookKitError, ReceiverOptions } from "../../src/index.ts";
import { anyAdapter } from "../support/adapters.ts";
import { accepted, mount, post } from "../support/mount.ts";
import { signed } from "../support/serve.ts";

let print: MockInstance<typeof console.error>;
beforeEach(() => {
  print = vi.spyOn(console, "error").mockReturnValue(undefined);
  // Some receivers have no handler, and warn about it.
  vi.spyOn(console, "warn").mockReturnValue(undefined);
});
afterEach(() => void vi.restoreAllMocks());

const printed = () =>
  print.mock.calls.map((line) => line.map((part) => (typeof part === "string" ? part : inspect(part))).join(" "));
const timesIn = (text: string, word: string) => text.split(word).length - 1;
const boom = () => new Error("BOOM from the user's own code");
const fails = () => {
  throw boom();
};
const failsLater = async () => {
  await Promise.resolve();
  throw boom();
};
const acquire = () => ({ state: "acquired", token: "1" }) as const;
const search = { userEmailAddresses: [] };

/** The failure, its options, the request, the response's status, and what the console shows in addition to the error. */
const failures: [string, Partial<ReceiverOptions>, string, RequestInit, number, RegExp][] = [
  [
    "a handler that throws",
    { onWorkerOfferResponse: fails },
    "/offer/response",
    post(accepted),
    500,
    /handler_failed.*WorkerOfferResponse/,
  ],
  [
    "a handler that rejects",
    { onWorkerOfferResponse: failsLater },
    "/offer/response",
    post(accepted),
    500,
    /handler_failed.*WorkerOfferResponse/,
  ],
  [
    "a handler of a GET",
    { onWorkerAddedContact: failsLater },
    "/contact/new/amal",
    { headers: signed() },
    500,
    /handler_failed.*WorkerAddedContact/,
  ],
  [
    "suggestContacts that throws",
    { suggestContacts: fails },
    "/contact-suggestions",
    post(search),
    500,
    /handler_failed.*ContactSuggestions/,
  ],
  [
    "the secret function",
    { secret: failsLater },
    "/test/auth",
    { headers: signed() },
    503,
    /secret_lookup_failed.*TestAuth/,
  ],
  [
    "the clock",
    { now: fails, deduplication: false },
    "/test/auth",
    { headers: signed() },
    500,
    /internal_error.*TestAuth/,
  ],
  [
    "the tracer",
    { tracer: { startActiveSpan: fails } },
    "/test/auth",
    { headers: signed() },
    200,
    /tracer_failed.*TestAuth/,
  ],
  [
    "a store that cannot acquire",
    {
      onWorkerOfferResponse: () => undefined,
      deduplication: { acquire: failsLater, complete: failsLater, release: failsLater },
    },
    "/offer/response",
    post(accepted),
    503,
    /deduplication_failed.*WorkerOfferResponse/,
  ],
  [
    "a store that cannot complete, of two records",
    {
      onWorkerOfferResponse: () => undefined,
      replayProtection: "single-use-signature",
      deduplication: { acquire, complete: failsLater, release: failsLater },
    },
    "/offer/response",
    post(accepted),
    200,
    /deduplication_failed.*WorkerOfferResponse/,
  ],
  [
    "a handler and a store, for the same reason",
    {
      onWorkerOfferResponse: failsLater,
      replayProtection: "single-use-signature",
      deduplication: { acquire, complete: failsLater, release: failsLater },
    },
    "/offer/response",
    post(accepted),
    500,
    /handler_failed.*WorkerOfferResponse/,
  ],
];

describe.each(anyAdapter)("$name", (adapter) => {
  test.each(failures)(
    "without logger and onError, %s is printed once, with its stack [D-49]",
    async (_, options, path, init, status, words) => {
      const request = await mount(adapter, options);
      expect((await request(path, init)).status).toBe(status);
      const [line = "", ...others] = printed();
      expect(others).toEqual([]);
      expect(line).toMatch(words);
      expect(timesIn(line, "BOOM from the user's own code")).toBe(1);
      expect(line).toMatch(/Error: BOOM(?:.|\n)*\n {4}at .*console\.test\.ts/);
    },
  );

  test("each failure is printed, even when it is repeated", async () => {
    const error = boom();
    const request = await mount(adapter, { onWorkerAddedContact: () => Promise.reject(error) });
    await request("/contact/new/amal", { headers: signed() });
    await request("/contact/new/ben", { headers: signed() });
    expect(printed()).toHaveLength(2);
  });

  test("a handler that takes too long is printed once, with its timeout", async () => {
    const onWorkerOfferResponse = () => new Promise(() => undefined);
    const request = await mount(adapter, { handlerTimeoutMs: 20, onWorkerOfferResponse });
    expect((await request("/offer/response", post(accepted))).status).toBe(503);
    expect(printed()).toEqual([expect.stringMatching(/handler_timed_out.*WorkerOfferResponse.* more than 20 ms/)]);
  });

  test("an invalid list is printed once, with its fields and without values", async () => {
    const list = [{ name: "PRIVATE", emailAddress: "PRIVATE", ratings: [] }];
    const request = await mount(adapter, { suggestContacts: () => list });
    expect((await request("/contact-suggestions", post(search))).status).toBe(500);
    expect(printed()).toEqual([
      expect.stringMatching(/invalid_handler_result.*\[0\]\.emailAddress: Must be an email address/),
    ]);
    expect(printed().join()).not.toContain("PRIVATE");
  });

  test("rejected requests print one warning per reason and no error, so that no sender can fill the console [D-49]", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const unhooked = { onRejected: undefined } as object;
    const request = await mount(adapter, { onWorkerOfferResponse: () => undefined, ...unhooked });
    await request("/test/auth");
    await request("/test/auth", { headers: { Timestamp: "soon", Authorization: "hmac 00" } });
    await request("/offer/response", post("{"));
    await request("/offer/response", { headers: signed() });
    await request("/nowhere", { headers: signed() });
    expect(print).not.toHaveBeenCalled();
    // In Express, an unknown path goes to the next middleware.
    expect(warn).toHaveBeenCalledTimes(adapter.name.startsWith("Express") ? 4 : 5);
  });

  test.each<[string, (error: AnyWebhookKitError) => unknown]>([
    ["throws", fails],
    ["rejects", failsLater],
  ])("when onError %s, the failure goes to the console", async (_, onError) => {
    const request = await mount(adapter, {
      onError,
      onWorkerAddedContact: () => Promise.reject(new Error("ORIGINAL")),
    });
    expect((await request("/contact/new/amal", { headers: signed() })).status).toBe(500);
    await vi.waitFor(() => expect(printed()).toEqual([expect.stringContaining("ORIGINAL")]));
  });

  test("a logger gets the error as err, and the console stays empty [D-49]", async () => {
    const cause = boom();
    const error = vi.fn();
    const logger = { info: vi.fn(), warn: vi.fn(), error };
    const request = await mount(adapter, { logger, onWorkerOfferResponse: () => Promise.reject(cause) });
    await request("/offer/response", post(accepted));
    expect(error).toHaveBeenCalledExactlyOnceWith(
      {
        code: "handler_failed",
        endpoint: "WorkerOfferResponse",
        message: expect.stringContaining("cause"),
        err: expect.objectContaining({ name: "HandlerError", cause }),
      },
      "webhook failed",
    );
    expect(print).not.toHaveBeenCalled();
  });

  test("the console stays empty with onError alone", async () => {
    const onError = vi.fn();
    const request = await mount(adapter, { onError, onWorkerOfferResponse: fails });
    await request("/offer/response", post(accepted));
    expect(onError).toHaveBeenCalledOnce();
    expect(print).not.toHaveBeenCalled();
  });

  test.each([[undefined], ["a word"], [{ odd: true }], [null]])(
    "a handler may throw %j, and it is printed",
    async (thrown) => {
      const request = await mount(adapter, { onWorkerAddedContact: () => Promise.reject(thrown) });
      expect((await request("/contact/new/amal", { headers: signed() })).status).toBe(500);
      expect(print.mock.calls).toEqual([
        [expect.stringContaining("handler_failed"), expect.stringContaining("WorkerAddedContact"), thrown],
      ]);
    },
  );
});
