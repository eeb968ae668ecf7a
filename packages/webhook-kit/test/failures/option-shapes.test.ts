import { expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { parseWebhook, webhookHandler } from "../../src/fetch.ts";
import {
  type Handlers,
  memoryDeduplication,
  timestampDigest,
  type VerifyOptions,
  verifyRequest,
} from "../../src/index.ts";
import { webhookFunction } from "../../src/lambda.ts";
import { webhookListener } from "../../src/node.ts";
import { testReceiver } from "../../src/testing.ts";
import { captureConsole } from "../support/capture-console.ts";
import { createSignedHeaders, secret } from "../support/serve.ts";

captureConsole();

const invalid = expect.objectContaining({ name: "ConfigurationError", code: "invalid_option" });

test.each<[string, object]>([
  ["deduplication that was not called", { deduplication: memoryDeduplication }],
  ["deduplication that is true", { deduplication: true }],
  ["deduplication that is null", { deduplication: null }],
  ["deduplication without release", { deduplication: { acquire: () => undefined, complete: () => undefined } }],
  ["a Map as deduplication", { deduplication: new Map() }],
  ["single-use signatures without deduplication", { replayProtection: "single-use-signature", deduplication: false }],
  ["a scheme that was not called", { scheme: timestampDigest }],
  ["a scheme that is null", { scheme: null }],
  ["the name of a scheme", { scheme: "hmac" }],
  ["a scheme without verify", { scheme: { ...timestampDigest(), verify: undefined } }],
  ["a challenge with a line break", { scheme: { ...timestampDigest(), wwwAuthenticate: "hmac\r\nSet-Cookie: a=b" } }],
  ["a logger without functions", { logger: {} }],
  ["a logger that is a function", { logger: () => undefined }],
  ["the name of a tracer", { tracer: "offers" }],
])("%s is rejected at construction", (_, options) => {
  const invalidOptions = { secret, ...options };
  expect(() => webhookRouter(invalidOptions)).toThrow(invalid);
  expect(() => webhookHandler(invalidOptions)).toThrow(invalid);
});

test.each([undefined, null, "secret"])("parseWebhook rejects %j in place of options", (options) =>
  expect(parseWebhook(options as never, new Request("http://127.0.0.1/test"))).rejects.toThrow(invalid),
);

test("in Express, basePath is rejected because it would have no effect", () => {
  const options = { secret, basePath: "/offers" };
  expect(() => webhookRouter(options)).toThrow(invalid);
  expect(() => verifyWebhook(options)).toThrow(invalid);
});

// The project compiles with exactOptionalPropertyTypes, so each of these lines is also a test of the types.
test("undefined counts as absent for every option", async () => {
  const hooks = { onVerified: undefined, onRejected: undefined, onError: undefined, logger: undefined };
  const verifyOptions: VerifyOptions = {
    secret,
    scheme: undefined,
    toleranceSeconds: undefined,
    maxBodyBytes: undefined,
    allowShortSecret: undefined,
    now: undefined,
    ...hooks,
  };
  const handlers: Handlers = {
    onWorkerAddedContact: undefined,
    suggestContacts: undefined,
    onWorkerOfferResponse: undefined,
    onOfferEventDeleted: undefined,
    onTimelineChanged: undefined,
    onEvent: () => undefined,
  };
  const options = {
    ...verifyOptions,
    ...handlers,
    basePath: undefined,
    handlerTimeoutMs: undefined,
    deduplication: undefined,
    replayProtection: undefined,
    tracer: undefined,
  };
  const headers = createSignedHeaders();
  const request = () => new Request("http://127.0.0.1/test/auth", { headers });
  expect((await webhookHandler(options)(request())).status).toBe(200);
  const { onEvent: _, ...parseOptions } = options;
  expect((await parseWebhook(parseOptions, request())).response.status).toBe(200);
  expect((await verifyRequest(verifyOptions, { rawHeaders: Object.entries(headers).flat(), body: undefined })).ok).toBe(
    true,
  );
  for (const create of [webhookRouter, webhookFunction, webhookListener] as const)
    expect(typeof create(options as never)).toBe("function");
  expect(typeof verifyWebhook(verifyOptions)).toBe("function");
  expect(timestampDigest({ variant: undefined }).name).toBe(timestampDigest().name);
  expect(memoryDeduplication({ maxEntries: undefined, now: undefined })).toEqual(expect.anything());
  const receiver = await testReceiver(webhookHandler(options), {
    secret,
    basePath: undefined,
    scheme: undefined,
    toleranceSeconds: undefined,
    timeoutMs: undefined,
    now: undefined,
  });
  expect((await receiver.test()).status).toBe(200);
});

test("the options can be an instance of a class, with handlers as methods", async () => {
  const handler = vi.fn();
  class OptionsClass {
    readonly secret = secret;
    onWorkerAddedContact({ workerId }: { workerId: string }) {
      handler(workerId);
    }
  }
  const request = new Request("http://127.0.0.1/contact/new/amal", { headers: createSignedHeaders() });
  expect((await webhookHandler(new OptionsClass())(request)).status).toBe(200);
  expect(handler).toHaveBeenCalledExactlyOnceWith("amal");
});
