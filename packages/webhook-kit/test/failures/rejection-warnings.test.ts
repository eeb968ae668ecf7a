import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { parseWebhook, webhookHandler } from "../../src/fetch.ts";
import { type ReceiverOptions, type Rejection, timestampDigest, verifyRequest } from "../../src/index.ts";
import { webhookFunction } from "../../src/lambda.ts";
import { adapters, standaloneAdapters } from "../support/adapters.ts";
import { acceptedResponse } from "../support/mount.ts";
import { express4, secret, serve } from "../support/serve.ts";

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const printedLines = () => warn.mock.calls.map((parts) => parts.join(" "));
const printedCodes = () => printedLines().map((line) => /^webhook rejected \((\w+)\)/.exec(line)?.[1]);

let time = Date.parse("2026-11-27T09:00:00.000Z");
const options = { secret, now: () => new Date(time), onWorkerOfferResponse: () => undefined, onEvent: () => undefined };
/** The options without the hook that each adapter sets by default. */
const optionsWithoutHook = { ...options, onRejected: undefined } as unknown as typeof options;
const createSignedHeaders = (overrides: { secret?: string; offsetSeconds?: number } = {}) => ({
  ...timestampDigest().sign({
    secret: overrides.secret ?? secret,
    now: new Date(time + (overrides.offsetSeconds ?? 0) * 1_000),
  }),
  "content-type": "application/json",
});
const post = (body: string, headers = createSignedHeaders()): RequestInit => ({ method: "POST", headers, body });
const docsUrl = (code: string) => `https://github.com/offers/offers/blob/main/docs/errors.md#${code}`;

/** A request, the code of its rejection, and a pattern for the printed line. SENTINEL is data from the sender, which must not be printed. */
const rejections: [string, string, () => RequestInit, string, RegExp][] = [
  [
    "a wrong secret",
    "/test/auth",
    () => ({ headers: createSignedHeaders({ secret: "SENTINEL-secret-of-some-length" }) }),
    "signature_mismatch",
    /company profile/,
  ],
  [
    "a clock that is an hour off",
    "/test/auth",
    () => ({ headers: createSignedHeaders({ offsetSeconds: -3600.04 }) }),
    "timestamp_out_of_tolerance",
    /is -3600 s off this server's clock/,
  ],
  [
    "no signature",
    "/test/auth",
    () => ({ headers: { SENTINEL: "SENTINEL" } }),
    "missing_timestamp",
    /no Timestamp header/,
  ],
  [
    "a Timestamp that is not a time",
    "/test/auth",
    () => ({ headers: { ...createSignedHeaders(), Timestamp: "SENTINEL" } }),
    "malformed_timestamp",
    /ISO 8601/,
  ],
  ["a body that is not JSON", "/offer/response", () => post("SENTINEL"), "malformed_json", /not valid JSON/],
  [
    "a payload that lacks a field",
    "/offer/response",
    () => post('{"SENTINEL":"SENTINEL"}'),
    "invalid_request",
    /offerId/,
  ],
  [
    "a wrong media type",
    "/offer/response",
    () => post("{}", { ...createSignedHeaders(), "content-type": "SENTINEL/x" }),
    "unsupported_media_type",
    /must be JSON/,
  ],
  [
    "a search without a handler",
    "/contact-suggestions?SENTINEL",
    () => ({ headers: createSignedHeaders() }),
    "handler_not_configured",
    /suggestContacts/,
  ],
  [
    "a wrong method",
    "/test/auth?SENTINEL",
    () => ({ method: "PUT", headers: createSignedHeaders() }),
    "method_not_allowed",
    /allows GET/,
  ],
];

describe.each(adapters)("$name", (adapter) => {
  test.each(rejections)(
    "without a logger and onRejected, %s prints one line a minute with the URL of its page, but nothing from the sender [D-49]",
    async (_, path, init, code, pattern) => {
      const { url } = await adapter.serve(optionsWithoutHook);
      for (let count = 0; count < 5; count += 1) await fetch(url + path, init());
      expect(printedLines()).toEqual([expect.stringMatching(pattern)]);
      expect(printedLines()[0]).toMatch(
        new RegExp(`^webhook rejected \\(${code}\\) in \\w+: .* ${docsUrl(code)}\\n.*onRejected or logger`),
      );
      expect(printedLines().join()).not.toMatch(/SENTINEL|[\da-f]{32}|more/i);
    },
  );

  test("the next minute's line reports how many rejections were not printed [D-49]", async () => {
    const { url } = await adapter.serve(optionsWithoutHook);
    const sendUnsigned = () => fetch(`${url}/test/auth`);
    for (let count = 0; count < 10; count += 1) await sendUnsigned();
    time += 59_999;
    await sendUnsigned();
    expect(printedLines()).toHaveLength(1);
    time += 1;
    await sendUnsigned();
    expect(printedLines()).toEqual([expect.not.stringContaining("more"), expect.stringContaining("10 more")]);
    time += 60_000;
    await sendUnsigned();
    expect(printedLines()[2]).not.toContain("more");
  });

  test("the forged request that follows a verified TestAuth prints nothing, and the next mismatch is printed [D-41]", async () => {
    const { url } = await adapter.serve(optionsWithoutHook);
    const testAuth = async (headers: HeadersInit) => (await fetch(`${url}/test/auth`, { headers })).status;
    const forged = () => createSignedHeaders({ secret: "another-secret-of-some-length" });
    // Saving the profile twice within a minute sends a forged request each time.
    for (let count = 0; count < 2; count += 1) {
      expect([await testAuth(createSignedHeaders()), await testAuth(forged())]).toEqual([200, 401]);
      expect(printedLines()).toEqual([]);
      time += 1_000;
    }
    expect(await testAuth(forged())).toBe(401);
    expect(printedLines()).toEqual([expect.stringMatching(/^webhook rejected \(signature_mismatch\) in TestAuth: .*/)]);
    expect(printedLines()[0]).not.toContain("more");
    time += 60_000;
    await testAuth(createSignedHeaders());
    time += 5_001;
    await testAuth(forged());
    expect(printedCodes()).toEqual(["signature_mismatch", "signature_mismatch"]);
    // Another operation's mismatch is not that check.
    await testAuth(createSignedHeaders());
    time += 60_000;
    await testAuth(createSignedHeaders());
    await fetch(`${url}/offer/response`, post("{}", { ...createSignedHeaders(), ...forged() }));
    expect(printedCodes()).toHaveLength(3);
  });

  test("with onRejected, the forged request that follows a verified TestAuth is explained [D-41]", async () => {
    const messages: string[] = [];
    const onRejected = ({ message }: Rejection): void => void messages.push(message);
    const { url } = await adapter.serve({ ...options, onRejected });
    const forged = createSignedHeaders({ secret: "another-secret-of-some-length" });
    for (const headers of [createSignedHeaders(), forged, forged]) await fetch(`${url}/test/auth`, { headers });
    expect(messages).toEqual([
      expect.stringMatching(/^No secret matches, as expected/),
      expect.stringMatching(/^No secret matches.*company profile/s),
    ]);
  });

  test("each receiver prints a line for each reason", async () => {
    const firstReceiver = await adapter.serve(optionsWithoutHook);
    const secondReceiver = await adapter.serve(optionsWithoutHook);
    for (const { url } of [firstReceiver, secondReceiver, firstReceiver]) {
      await fetch(`${url}/test/auth`);
      await fetch(`${url}/test/auth`, { headers: { Timestamp: "soon" } });
    }
    const codes = ["missing_timestamp", "missing_authorization"];
    expect(printedCodes()).toEqual([...codes, ...codes]);
    expect(printedLines().map((line) => line.includes("onRejected or logger"))).toEqual([true, false, true, false]);
  });

  test.each<[string, Partial<ReceiverOptions>]>([
    ["onRejected", { onRejected: () => undefined }],
    ["a logger", { logger: { info: () => undefined, warn: () => undefined, error: () => undefined } }],
  ])("with %s, nothing is printed", async (_, hooks) => {
    const { url } = await adapter.serve({ ...options, ...hooks });
    for (const [, path, init] of rejections) await fetch(url + path, init());
    expect(warn).not.toHaveBeenCalled();
  });

  test("nothing is printed for handled webhooks", async () => {
    const { url } = await adapter.serve(optionsWithoutHook);
    expect((await fetch(`${url}/offer/response`, post(JSON.stringify(acceptedResponse)))).status).toBe(200);
    expect(warn).not.toHaveBeenCalled();
  });
});

test("a wrong secret is printed right after a verified TestAuth of another receiver [D-41]", async () => {
  const otherSecret = "another-secret-of-some-length";
  const testAuth = (path: string, headers: HeadersInit = createSignedHeaders()) =>
    new Request(`http://127.0.0.1${path}/test/auth`, { headers });
  const forged = createSignedHeaders({ secret: "a-third-secret-of-some-length" });
  const { now } = options;
  const handler = webhookHandler({
    ...optionsWithoutHook,
    basePath: "/:tenant",
    secret: ({ url }) => (url.includes("/one/") ? secret : otherSecret),
  });
  expect((await handler(testAuth("/one"))).status).toBe(200);
  expect((await handler(testAuth("/two", forged))).status).toBe(401);
  expect(printedCodes()).toEqual(["signature_mismatch"]);
  time += 60_000;
  expect((await parseWebhook({ secret, now }, testAuth("", createSignedHeaders()))).response.status).toBe(200);
  expect((await parseWebhook({ secret: otherSecret, now }, testAuth("", forged))).response.status).toBe(401);
  expect(printedCodes()).toEqual(["signature_mismatch", "signature_mismatch"]);
  // The service's own check of the first receiver follows.
  time += 1_000;
  await handler(testAuth("/one"));
  await handler(testAuth("/one", forged));
  expect(printedCodes()).toHaveLength(2);
});

test.each(standaloneAdapters)("$name: an unknown path prints one line a minute, without the path", async (adapter) => {
  const { url } = await adapter.serve(optionsWithoutHook);
  for (let count = 0; count < 100; count += 1) await fetch(`${url}/SENTINEL/${count}`);
  expect(printedLines()).toEqual([
    expect.stringMatching(/^webhook rejected \(unknown_path\): .*basePath.*errors\.md#unknown_path/),
  ]);
  expect(printedLines()[0]).not.toContain("SENTINEL");
});

test("in Express, a router on a route prints one line", async () => {
  const { url } = await serve(
    express4().use((request, response, next) => {
      Object.assign(request, { route: {} });
      webhookRouter(options)(request, response, next);
    }),
  );
  await fetch(`${url}/SENTINEL`);
  expect(printedLines()).toEqual([expect.stringMatching(/^webhook rejected \(unknown_path\): .*app\.use/)]);
});

test("verifyWebhook and webhookFunction also print one line a minute", async () => {
  const { url } = await serve(express4().use(verifyWebhook({ secret })));
  const handler = webhookFunction(options);
  const event = { rawPath: "/test/auth", requestContext: { http: { method: "GET" } }, isBase64Encoded: false };
  for (let count = 0; count < 3; count += 1) {
    await fetch(url);
    await handler(event);
  }
  expect(printedCodes()).toEqual(["missing_timestamp", "missing_timestamp"]);
});

test("verifyRequest and parseWebhook, which get new options for each request, print one line a minute in total", async () => {
  for (let count = 0; count < 50; count += 1) {
    await verifyRequest({ ...options }, { rawHeaders: [] });
    await parseWebhook({ secret, now: options.now }, new Request("http://127.0.0.1/test/auth"));
  }
  expect(printedCodes()).toEqual(["missing_timestamp"]);
  time += 60_000;
  await verifyRequest({ ...options }, { rawHeaders: [] });
  expect(printedLines()[1]).toContain("99 more");
});

test("a receiver with an invalid clock prints one line, and leaves no timer", async () => {
  vi.useFakeTimers();
  const handler = webhookHandler({ ...options, now: () => new Date(Number.NaN) });
  for (let count = 0; count < 10; count += 1) await handler(new Request("http://127.0.0.1/offer/response", post("{}")));
  expect(printedCodes()).toEqual(["timestamp_out_of_tolerance"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("the line for a payload with 1,000 invalid fields lists ten of them", async () => {
  const handler = webhookHandler({ ...options, suggestContacts: () => [] });
  const userEmailAddresses = Array.from({ length: 1_000 }, () => "SENTINEL");
  const response = await handler(
    new Request("http://127.0.0.1/contact-suggestions", post(JSON.stringify({ userEmailAddresses }))),
  );
  expect(Object.keys((await response.json()).errors)).toHaveLength(1_000);
  expect(printedLines()).toEqual([
    expect.stringMatching(/not valid: userEmailAddresses\[0\], .*userEmailAddresses\[9\], …\. /),
  ]);
});
