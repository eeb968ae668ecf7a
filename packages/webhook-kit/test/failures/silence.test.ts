import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { memoryDeduplication, type WebhookKitError } from "../../src/index.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";
import { sampleAdapters } from "../support/adapters.ts";

const secret = "SENTINEL-secret-of-some-length";
const address = "SENTINEL@mail.example";
const reject = () => Promise.reject(new Error("SENTINEL in a handler's message"));

const situations: [string, Partial<ReceiverOptions>][] = [
  ["everything succeeds", {}],
  ["handlers fail", { onWorkerOfferResponse: reject, onWorkerAddedContact: reject, suggestContacts: reject }],
  ["the response is invalid", { suggestContacts: () => [{ name: "SENTINEL", emailAddress: "SENTINEL", ratings: [] }] }],
  ["the secret function fails", { secret: reject }],
  ["the secret is unusable", { secret: () => `${secret} ` }],
  ["deduplication fails", { deduplication: { acquire: reject, complete: reject, release: reject } }],
  ["a signature is valid for one request", { replayProtection: "single-use-signature" }],
  ["the clock is off", { now: () => new Date(Date.now() + 200_000) }],
];

describe.each(sampleAdapters)("$name", (adapter) => {
  test.each(situations)(
    "when %s, no secret, digest, body or email address appears in a response, log line, hook or error message [D-49]",
    async (_, options) => {
      const recorded: unknown[] = [];
      const record = (...args: unknown[]) => void recorded.push(args);
      const errors: WebhookKitError[] = [];
      const deduplication = memoryDeduplication();
      const { url } = await adapter.serve({
        secret,
        onWorkerAddedContact: () => undefined,
        onWorkerOfferResponse: () => undefined,
        suggestContacts: () => [],
        onVerified: record,
        onRejected: record,
        onError: (error) => void errors.push(error),
        // Leaves out `err`, because its cause is the user's own error. The errors are checked below without their causes.
        logger: { info: record, warn: record, error: ({ err: _, ...fields }, message) => record(fields, message) },
        tracer: {
          startActiveSpan: (name, { attributes }, run) => {
            record(name, attributes);
            return run({ setAttribute: record, setStatus: record, end: record });
          },
        },
        deduplication: {
          acquire(...args) {
            record(...args);
            return deduplication.acquire(...args);
          },
          complete(...args) {
            record(...args);
            return deduplication.complete(...args);
          },
          release(...args) {
            record(...args);
            return deduplication.release(...args);
          },
        },
        ...options,
      });
      const headers = { ...timestampDigest().sign({ secret, now: new Date() }), "content-type": "application/json" };
      const digest = headers.Authorization.slice("hmac ".length);
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
      const output = [
        ...(await Promise.all(
          responses.map(async (response) => inspect([...response.headers]) + (await response.text())),
        )),
        ...recorded.map((entry) => inspect(entry, { depth: 9, showHidden: true })),
        ...errors.map(({ name, code, message, ...properties }) =>
          inspect([name, code, message, { ...properties, cause: undefined }]),
        ),
      ].join("\n");
      expect(recorded.length).toBeGreaterThan(12);
      expect(output).not.toContain("SENTINEL");
      expect(output.toUpperCase()).not.toContain(digest);
    },
  );
});

test("isWebhookKitError recognises an error from a different copy of the kit", async () => {
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
