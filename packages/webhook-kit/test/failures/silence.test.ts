import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { memoryDeduplication, type WebhookKitError } from "../../src/index.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";
import { anyAdapter } from "../support/adapters.ts";

const secret = "SENTINEL-secret-of-some-length";
const address = "SENTINEL@mail.example";
const problem = () => Promise.reject(new Error("SENTINEL in a handler's message"));

const situations: [string, Partial<ReceiverOptions>][] = [
  ["everything succeeds", {}],
  ["handlers fail", { onWorkerOfferResponse: problem, onWorkerAddedContact: problem, suggestContacts: problem }],
  ["the response is invalid", { suggestContacts: () => [{ name: "SENTINEL", emailAddress: "SENTINEL", ratings: [] }] }],
  ["the secret function fails", { secret: problem }],
  ["the secret is unusable", { secret: () => `${secret} ` }],
  ["deduplication fails", { deduplication: { acquire: problem, complete: problem, release: problem } }],
  ["a signature is valid for one request", { replayProtection: "single-use-signature" }],
  ["the clock is off", { now: () => new Date(Date.now() + 200_000) }],
];

describe.each(anyAdapter)("$name", (adapter) => {
  test.each(situations)(
    "when %s, no secret, digest, body or email address is in any response, log line, hook or error message [D-49]",
    async (_, options) => {
      const reported: unknown[] = [];
      const keep = (...args: unknown[]) => void reported.push(args);
      const errors: WebhookKitError[] = [];
      const deduplication = memoryDeduplication();
      const { url } = await adapter.serve({
        secret,
        onWorkerAddedContact: () => undefined,
        onWorkerOfferResponse: () => undefined,
        suggestContacts: () => [],
        onVerified: keep,
        onRejected: keep,
        onError: (error) => void errors.push(error),
        // `err` is checked below as an error, because its cause is the user's own.
        logger: { info: keep, warn: keep, error: ({ err: _, ...fields }, message) => keep(fields, message) },
        tracer: {
          startActiveSpan: (name, { attributes }, run) => {
            keep(name, attributes);
            return run({ setAttribute: keep, setStatus: keep, end: keep });
          },
        },
        deduplication: {
          acquire(...given) {
            keep(...given);
            return deduplication.acquire(...given);
          },
          complete(...given) {
            keep(...given);
            return deduplication.complete(...given);
          },
          release(...given) {
            keep(...given);
            return deduplication.release(...given);
          },
        },
        ...options,
      });
      const headers = { ...timestampDigest().sign({ secret, now: new Date() }), "content-type": "application/json" };
      const digest = headers.Authorization.slice(5);
      const post = (path: string, body: string, extra = {}) =>
        fetch(url + path, { method: "POST", headers: { ...headers, ...extra }, body });
      const responses = [
        await post("/contact-suggestions", JSON.stringify({ filter: "SENTINEL", userEmailAddresses: [address] })),
        await post(
          "/contact-suggestions",
          JSON.stringify({ filter: 7, userEmailAddresses: ["SENTINEL"], SENTINEL: 1 }),
        ),
        await post(
          "/offer/response",
          JSON.stringify({ offerId: "SENTINEL", workerId: "SENTINEL", response: "accepted" }),
        ),
        await post("/offer/response", JSON.stringify({ offerId: "SENTINEL", response: "SENTINEL" })),
        await post("/offer/response", "SENTINEL"),
        await post("/offer/response", "{}", { "content-type": "SENTINEL/x" }),
        await post("/offer/response", "{}", { Timestamp: "SENTINEL" }),
        await post("/offer/response", "{}", { Authorization: `hmac ${digest}SENTINEL` }),
        await post("/offer/response", "{}", { Timestamp: "2018-11-26T10:55Z" }),
        await fetch(`${url}/contact/new/SENTINEL`, { headers }),
        await fetch(`${url}/contact/new/SENTINEL%ff`, { headers }),
        await fetch(`${url}/test/auth`, { headers }),
      ];
      const heard = [
        ...(await Promise.all(
          responses.map(async (response) => inspect([...response.headers]) + (await response.text())),
        )),
        ...reported.map((each) => inspect(each, { depth: 9, showHidden: true })),
        ...errors.map(({ name, code, message, ...rest }) =>
          inspect([name, code, message, { ...rest, cause: undefined }]),
        ),
      ].join("\n");
      expect(reported.length).toBeGreaterThan(12);
      expect(heard).not.toContain("SENTINEL");
      expect(heard.toUpperCase()).not.toContain(digest);
    },
  );
});

test("an error of the kit is recognised across two copies of it", async () => {
  const errors = await import("../../src/errors/errors.ts");
  const copy: typeof errors = await import(`../../src/errors/errors.ts?${"copy"}`);
  const { isWebhookKitError, ConfigurationError } = errors;
  const error = new copy.ConfigurationError("invalid_option", "…");
  expect([error instanceof ConfigurationError, isWebhookKitError(error)]).toEqual([false, true]);
  expect([isWebhookKitError(new Error("…")), isWebhookKitError(undefined), isWebhookKitError({})]).toEqual([
    false,
    false,
    false,
  ]);
});
