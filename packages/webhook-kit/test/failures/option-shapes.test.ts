import { expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { webhookHandler } from "../../src/fetch.ts";
import { memoryDeduplication, timestampDigest } from "../../src/index.ts";
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

test("in Express, basePath is rejected because it would have no effect", () => {
  const options = { secret, basePath: "/offers" };
  expect(() => webhookRouter(options)).toThrow(invalid);
  expect(() => verifyWebhook(options)).toThrow(invalid);
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
