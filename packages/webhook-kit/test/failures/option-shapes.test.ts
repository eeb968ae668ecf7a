import { expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { webhookHandler } from "../../src/fetch.ts";
import { memoryDeduplication, timestampDigest } from "../../src/index.ts";
import { captureConsole } from "../support/capture-console.ts";
import { secret, signed } from "../support/serve.ts";

captureConsole();

const invalid = expect.objectContaining({ name: "ConfigurationError", code: "invalid_option" });

test.each<[string, object]>([
  ["deduplication that was not called", { deduplication: memoryDeduplication }],
  ["deduplication that is true", { deduplication: true }],
  ["deduplication that is null", { deduplication: null }],
  ["deduplication without release", { deduplication: { acquire: () => undefined, complete: () => undefined } }],
  ["a Map for deduplication", { deduplication: new Map() }],
  ["single-use signatures without deduplication", { replayProtection: "single-use-signature", deduplication: false }],
  ["a scheme that was not called", { scheme: timestampDigest }],
  ["a scheme that is null", { scheme: null }],
  ["the name of a scheme", { scheme: "hmac" }],
  ["a scheme without verify", { scheme: { ...timestampDigest(), verify: undefined } }],
  ["a challenge with a line break", { scheme: { ...timestampDigest(), wwwAuthenticate: "hmac\r\nSet-Cookie: a=b" } }],
  ["a logger that logs nothing", { logger: {} }],
  ["a logger that is a function", { logger: () => undefined }],
  ["the name of a tracer", { tracer: "offers" }],
])("%s is rejected at construction", (_, options) => {
  const given = { secret, ...options };
  expect(() => webhookRouter(given)).toThrow(invalid);
  expect(() => webhookHandler(given)).toThrow(invalid);
});

test("in Express, basePath is rejected because it would have no effect", () => {
  const given = { secret, basePath: "/offers" };
  expect(() => webhookRouter(given)).toThrow(invalid);
  expect(() => verifyWebhook(given)).toThrow(invalid);
});

test("options may be an instance of your own class, with handlers as methods", async () => {
  const handled = vi.fn();
  class OptionsOfAClass {
    readonly secret = secret;
    onWorkerAddedContact({ workerId }: { workerId: string }) {
      handled(workerId);
    }
  }
  const request = new Request("http://127.0.0.1/contact/new/amal", { headers: signed() });
  expect((await webhookHandler(new OptionsOfAClass())(request)).status).toBe(200);
  expect(handled).toHaveBeenCalledExactlyOnceWith("amal");
});
