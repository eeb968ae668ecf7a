import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { parseWebhook, webhookHandler } from "../../src/fetch.ts";
import { type ReceiverOptions, timestampDigest, verifyRequest } from "../../src/index.ts";
import { webhookFunction } from "../../src/lambda.ts";
import { adapters, adaptersAlone } from "../support/adapters.ts";
import { accepted } from "../support/mount.ts";
import { expresses, secret, serve } from "../support/serve.ts";

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const lines = () => warn.mock.calls.map((parts) => parts.join(" "));
const codes = () => lines().map((line) => /^webhook rejected \((\w+)\)/.exec(line)?.[1]);

let time = Date.parse("2026-11-27T09:00:00.000Z");
const options = { secret, now: () => new Date(time), onWorkerOfferResponse: () => undefined };
/** Removes the hook that each adapter has by default. */
const unhooked = { ...options, onRejected: undefined } as unknown as typeof options;
const signed = (how: { secret?: string; seconds?: number } = {}) => ({
  ...timestampDigest().sign({ secret: how.secret ?? secret, now: new Date(time + (how.seconds ?? 0) * 1_000) }),
  "content-type": "application/json",
});
const post = (body: string, headers = signed()): RequestInit => ({ method: "POST", headers, body });
const page = (code: string) => `https://github.com/offers/offers/blob/main/docs/errors.md#${code}`;

/** The request, its code, and what its line says. The sender chooses SENTINEL, which must not be printed. */
const rejections: [string, string, () => RequestInit, string, RegExp][] = [
  [
    "a wrong secret",
    "/test/auth",
    () => ({ headers: signed({ secret: "SENTINEL-secret-of-some-length" }) }),
    "signature_mismatch",
    /company profile/,
  ],
  [
    "a clock that is an hour off",
    "/test/auth",
    () => ({ headers: signed({ seconds: -3600.04 }) }),
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
    () => ({ headers: { ...signed(), Timestamp: "SENTINEL" } }),
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
    () => post("{}", { ...signed(), "content-type": "SENTINEL/x" }),
    "unsupported_media_type",
    /must be JSON/,
  ],
  [
    "an event without a handler",
    "/contact/new/SENTINEL",
    () => ({ headers: signed() }),
    "handler_not_configured",
    /onWorkerAddedContact/,
  ],
  [
    "a wrong method",
    "/test/auth?SENTINEL",
    () => ({ method: "PUT", headers: signed() }),
    "method_not_allowed",
    /allows GET/,
  ],
];

describe.each(adapters)("$name", (adapter) => {
  test.each(rejections)(
    "without logger and onRejected, %s prints one line a minute, with the URL of its page and nothing from the sender [D-49]",
    async (_, path, init, code, words) => {
      const { url } = await adapter.serve(unhooked);
      for (let count = 0; count < 5; count += 1) await fetch(url + path, init());
      expect(lines()).toEqual([expect.stringMatching(words)]);
      expect(lines()[0]).toMatch(
        new RegExp(`^webhook rejected \\(${code}\\) in \\w+: .* ${page(code)}\\n.*onRejected or logger`),
      );
      expect(lines().join()).not.toMatch(/SENTINEL|[\da-f]{32}|more/i);
    },
  );

  test("the line of the next minute says how many were not printed [D-49]", async () => {
    const { url } = await adapter.serve(unhooked);
    const wrong = () => fetch(`${url}/test/auth`);
    for (let count = 0; count < 10; count += 1) await wrong();
    time += 59_999;
    await wrong();
    expect(lines()).toHaveLength(1);
    time += 1;
    await wrong();
    expect(lines()).toEqual([expect.not.stringContaining("more"), expect.stringContaining("10 more")]);
    time += 60_000;
    await wrong();
    expect(lines()[2]).not.toContain("more");
  });

  test("each reason and each receiver has its own line", async () => {
    const [one, other] = [await adapter.serve(unhooked), await adapter.serve(unhooked)];
    for (const { url } of [one, other, one]) {
      await fetch(`${url}/test/auth`);
      await fetch(`${url}/test/auth`, { headers: { Timestamp: "soon" } });
    }
    const both = ["missing_timestamp", "missing_authorization"];
    expect(codes()).toEqual([...both, ...both]);
    expect(lines().map((line) => line.includes("onRejected or logger"))).toEqual([true, false, true, false]);
  });

  test.each<[string, Partial<ReceiverOptions>]>([
    ["onRejected", { onRejected: () => undefined }],
    ["a logger", { logger: { info: () => undefined, warn: () => undefined, error: () => undefined } }],
  ])("with %s nothing is printed", async (_, hooks) => {
    const { url } = await adapter.serve({ ...options, ...hooks });
    for (const [, path, init] of rejections) await fetch(url + path, init());
    expect(warn).not.toHaveBeenCalled();
  });

  test("nothing is printed for handled webhooks", async () => {
    const { url } = await adapter.serve(unhooked);
    expect((await fetch(`${url}/offer/response`, post(JSON.stringify(accepted)))).status).toBe(200);
    expect(warn).not.toHaveBeenCalled();
  });
});

test.each(adaptersAlone)("$name: an unknown path prints one line a minute, without the path", async (adapter) => {
  const { url } = await adapter.serve(unhooked);
  for (let count = 0; count < 100; count += 1) await fetch(`${url}/SENTINEL/${count}`);
  expect(lines()).toEqual([
    expect.stringMatching(/^webhook rejected \(unknown_path\): .*basePath.*errors\.md#unknown_path/),
  ]);
  expect(lines()[0]).not.toContain("SENTINEL");
});

test("in Express, a router on a route prints one line", async () => {
  const [{ express }] = expresses as [(typeof expresses)[0]];
  const { url } = await serve(
    express().use((request, response, next) => {
      Object.assign(request, { route: {} });
      webhookRouter(options)(request, response, next);
    }),
  );
  await fetch(`${url}/SENTINEL`);
  expect(lines()).toEqual([expect.stringMatching(/^webhook rejected \(unknown_path\): .*app\.use/)]);
});

test("verifyWebhook and webhookFunction print like the others", async () => {
  const [{ express }] = expresses as [(typeof expresses)[0]];
  const { url } = await serve(express().use(verifyWebhook({ secret })));
  const handler = webhookFunction(options);
  const event = { rawPath: "/test/auth", requestContext: { http: { method: "GET" } }, isBase64Encoded: false };
  for (let count = 0; count < 3; count += 1) {
    await fetch(url);
    await handler(event);
  }
  expect(codes()).toEqual(["missing_timestamp", "missing_timestamp"]);
});

test("verifyRequest and parseWebhook, which get new options for each request, print one line a minute in total", async () => {
  for (let count = 0; count < 50; count += 1) {
    await verifyRequest({ ...options }, { rawHeaders: [] });
    await parseWebhook({ secret, now: options.now }, new Request("http://127.0.0.1/test/auth"));
  }
  expect(codes()).toEqual(["missing_timestamp"]);
  time += 60_000;
  await verifyRequest({ ...options }, { rawHeaders: [] });
  expect(lines()[1]).toContain("99 more");
});

test("an invalid clock prints one line, and no timer is left", async () => {
  vi.useFakeTimers();
  const handler = webhookHandler({ ...options, now: () => new Date(Number.NaN) });
  for (let count = 0; count < 10; count += 1) await handler(new Request("http://127.0.0.1/offer/response", post("{}")));
  expect(codes()).toEqual(["timestamp_out_of_tolerance"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("for a payload with very many invalid fields, ten are listed", async () => {
  const handler = webhookHandler({ ...options, suggestContacts: () => [] });
  const userEmailAddresses = Array.from({ length: 1_000 }, () => "SENTINEL");
  const response = await handler(
    new Request("http://127.0.0.1/contact-suggestions", post(JSON.stringify({ userEmailAddresses }))),
  );
  expect(Object.keys((await response.json()).errors)).toHaveLength(1_000);
  expect(lines()).toEqual([
    expect.stringMatching(/not valid: userEmailAddresses\[0\], .*userEmailAddresses\[9\], …\. /),
  ]);
});
