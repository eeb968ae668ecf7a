// Tests the messages for mistakes that new users make. Each message names the option or endpoint, what is wrong, and what to do.
import { createServer } from "node:http";
import express from "express";
import { expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { webhookHandler } from "../../src/fetch.ts";
import { standardWebhooks, timestampDigest } from "../../src/index.ts";
import { webhookListener } from "../../src/node.ts";
import { redisDeduplication } from "../../src/redis.ts";
import { captureConsole } from "../support/capture-console.ts";
import { acceptedResponse, post } from "../support/mount.ts";
import { createJsonHeaders, createSignedHeaders, secret, serve } from "../support/serve.ts";

captureConsole();

const routerWith = (options: object) => () => webhookRouter({ secret, ...options });

/** The mistake, the code that makes it, and the complete message. */
const constructionMistakes: [string, () => unknown, string][] = [
  [
    "a router without options",
    () => webhookRouter(undefined as never),
    "Pass an options object with at least `secret`, such as { secret: process.env.WEBHOOK_SECRET }.",
  ],
  [
    "a secret that is not set",
    () => webhookRouter({} as never),
    "secret must be a string, a non-empty array of strings, or a function; is its environment variable set?",
  ],
  ["an empty secret", routerWith({ secret: "" }), "The secret is empty or blank; is its environment variable set?"],
  [
    "a secret with a trailing line break",
    routerWith({ secret: `${secret}\n` }),
    "The secret starts or ends with white space; was it read from a file that ends with a line break?",
  ],
  [
    "a short secret",
    routerWith({ secret: "hunter2" }),
    "The secret has fewer than 16 characters and can be guessed; pass allowShortSecret to use it.",
  ],
  [
    "a list without secrets",
    routerWith({ secret: [] }),
    "secret must be a string, a non-empty array of strings, or a function; is its environment variable set?",
  ],
  [
    "a secret for another scheme",
    routerWith({ secret: "not base64", scheme: standardWebhooks() }),
    "The secret contains no key: it must be padded base64 of at least one byte, with or without the whsec_ prefix.",
  ],
  [
    "a tolerance as a string",
    routerWith({ toleranceSeconds: "300" }),
    "toleranceSeconds must be a number from 0 to 86400; it is a string.",
  ],
  [
    "a tolerance in milliseconds",
    routerWith({ toleranceSeconds: 300_000 }),
    "toleranceSeconds must be a number from 0 to 86400; it is 300000.",
  ],
  [
    "a time limit of 0 ms",
    routerWith({ handlerTimeoutMs: 0 }),
    "handlerTimeoutMs must be an integer from 1 to 600000; it is 0.",
  ],
  [
    "a size as a string",
    routerWith({ maxBodyBytes: "1mb" }),
    "maxBodyBytes must be an integer from 1 to 104857600; it is a string.",
  ],
  [
    "a handler that was already called",
    routerWith({ onWorkerOfferResponse: Promise.resolve() }),
    "onWorkerOfferResponse must be a function; it is a promise; await it.",
  ],
  [
    "the name of a handler",
    routerWith({ suggestContacts: "suggest" }),
    "suggestContacts must be a function; it is a string.",
  ],
  ["a time instead of a clock", routerWith({ now: new Date() }), "now must be a function; it is an object."],
  [
    "an unknown replay mode",
    routerWith({ replayProtection: "once" }),
    "replayProtection must be one of: deduplicate, single-use-signature; it is an unknown string.",
  ],
  [
    "replay without deduplication",
    routerWith({ replayProtection: "single-use-signature", deduplication: false }),
    'replayProtection "single-use-signature" needs deduplication to record signatures; remove `deduplication: false`.',
  ],
  [
    "a scheme that was not called",
    routerWith({ scheme: timestampDigest }),
    "scheme must be an object with the functions sign, parse, verify, such as timestampDigest(); it is a function that was not called.",
  ],
  [
    "a logger without functions",
    routerWith({ logger: {} }),
    "logger must be an object with the functions info, warn, error, such as pino(); it is an object without them.",
  ],
  [
    "deduplication that is true",
    routerWith({ deduplication: true }),
    "deduplication must be an object with the functions acquire, complete, release, such as memoryDeduplication(); it is a boolean.",
  ],
  [
    "a basePath in Express",
    routerWith({ basePath: "/offers" }),
    "basePath is not an option in Express; mount webhookRouter with app.use(path, webhookRouter(options)).",
  ],
  [
    "a basePath without its slash",
    () => webhookListener({ secret, basePath: "offers" }),
    'basePath must be a string that starts with a slash, such as "/offers".',
  ],
  [
    "a Redis URL instead of a client",
    () => redisDeduplication("redis://127.0.0.1" as never),
    "redisDeduplication takes a redis (4 or newer) or ioredis client.",
  ],
  [
    "an Upstash client",
    // Imitates the properties that the kit reads from Upstash's `new Redis({ url, token })`.
    () => redisDeduplication({ eval: async () => null, autoPipeline: () => undefined } as never),
    "redisDeduplication does not support @upstash/redis clients. Connect redis or ioredis to the rediss:// URL of the same database.",
  ],
];

test.each(constructionMistakes)("%s is rejected at construction", (_, construct, message) =>
  expect(construct).toThrow(expect.objectContaining({ name: "ConfigurationError", message })),
);

test("the error for a misspelt option names the nearest option and lists them all", () =>
  expect(routerWith({ onWorkerOfferRespons: () => undefined })).toThrow(
    /^Unknown option onWorkerOfferRespons; did you mean onWorkerOfferResponse\? The options are: .*\bsecret\b.*\bonWorkerOfferResponse\b/,
  ));

test("the error for a router passed to node:http names the listener to use", () =>
  expect(() => createServer(webhookRouter({ secret }) as never).emit("request", {}, {})).toThrow(
    "webhookRouter and verifyWebhook are middleware for Express, connect and Nest; for node:http, Fastify and Koa use webhookListener from @offers/webhook-kit/node.",
  ));

/** Sends a request, and returns the codes and messages that onRejected receives. */
async function collectRejections(init: RequestInit, options: object = {}, path = "/test/auth"): Promise<unknown> {
  const onRejected = vi.fn();
  await webhookHandler({ secret, basePath: "/offers", onRejected, ...options })(
    new Request(`http://127.0.0.1/offers${path}`, init),
  );
  return onRejected.mock.calls.map(([{ code, message }]) => [code, message]);
}

const { Timestamp = "", Authorization = "" } = createSignedHeaders();
const standardHeaders = { "webhook-id": "msg_1", "webhook-timestamp": String(Math.floor(Date.now() / 1000)) };
const standard = { scheme: standardWebhooks(), secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" };

test.each<[string, RequestInit, object, string, string, string?]>([
  [
    "no Timestamp",
    { headers: { Authorization } },
    {},
    "missing_timestamp",
    "There is no Timestamp header; does a proxy in front of this server strip it, or does the sender use another scheme?",
  ],
  [
    "no Authorization",
    { headers: { Timestamp } },
    {},
    "missing_authorization",
    "There is a Timestamp header but no Authorization header; does a proxy in front of this server strip it?",
  ],
  [
    "a local Timestamp",
    { headers: { Timestamp: "2026-03-08T02:30", Authorization } },
    {},
    "malformed_timestamp",
    "Timestamp is not an ISO 8601 date-time with a time zone, such as 2018-11-26T10:55:00Z, or 2018-11-26T10:55Z without seconds; was it changed in transit?",
  ],
  [
    "a different credential",
    { headers: { Timestamp, Authorization: "Bearer x" } },
    {},
    "malformed_authorization",
    "Authorization must be the word hmac, a space and 64 hexadecimal digits; does a proxy or other middleware set it?",
  ],
  [
    "a signature from a different secret",
    { headers: createSignedHeaders() },
    { secret: "another-secret-of-some-length" },
    "signature_mismatch",
    "No secret matches; is the secret exactly the one in the company profile?",
  ],
  [
    "a Timestamp that is an hour old",
    { headers: { Timestamp: "2026-03-08T02:30:00Z", Authorization } },
    { now: () => new Date("2026-03-08T03:30:00Z") },
    "timestamp_out_of_tolerance",
    "Timestamp is -3600 s off this server's clock; 300 s are allowed. Is one of the clocks wrong?",
  ],
  [
    "a path outside basePath",
    { headers: createSignedHeaders() },
    { basePath: "/hooks" },
    "unknown_path",
    "No webhook has this path. Is basePath the path of the registered base URL, as this server receives it?",
  ],
  [
    "the stage of an API before the base path",
    { headers: createSignedHeaders() },
    { basePath: "/v1" },
    "unknown_path",
    "No webhook has this path. The request's path has 1 segment before basePath, such as an API's stage or a custom domain's base path. Include that prefix in basePath, or in Express in the mount path.",
    "/v1/test/auth",
  ],
  [
    "no handler",
    post(acceptedResponse),
    {},
    "handler_not_configured",
    "This receiver does not implement this endpoint. Pass its handler: onWorkerOfferResponse.",
    "/offer/response",
  ],
  [
    "a method that is not allowed",
    { method: "POST", headers: createSignedHeaders() },
    {},
    "method_not_allowed",
    "This endpoint does not allow this method. It allows GET.",
  ],
  [
    "a body that is not JSON",
    post("{"),
    { onWorkerOfferResponse: () => undefined },
    "malformed_json",
    "The body is not valid JSON.",
    "/offer/response",
  ],
  [
    "no webhook-id",
    { headers: {} },
    standard,
    "missing_webhook_id",
    "There is no webhook-id header; does the sender use Standard Webhooks rather than a Timestamp header?",
  ],
  [
    "no webhook-timestamp",
    { headers: { "webhook-id": "msg_1" } },
    standard,
    "missing_timestamp",
    "There is no webhook-timestamp header; does a proxy in front of this server strip it?",
  ],
  [
    "no webhook-signature",
    { headers: standardHeaders },
    standard,
    "missing_signature",
    "There is no webhook-signature header; does a proxy in front of this server strip it?",
  ],
])("a request with %s is rejected, and onRejected gets the reason", async (_, init, options, reason, message, path) =>
  expect(await collectRejections(init, options, path)).toEqual([[reason, message]]),
);

test("the error for a body that was already read explains where to mount the receiver", async () => {
  const onError = vi.fn();
  const app = express().use(express.text({ type: "*/*" }), (request, _, next) => {
    delete request.body;
    next();
  });
  const { url } = await serve(
    app.use("/offers", webhookRouter({ secret, onError, onWorkerOfferResponse: () => undefined })),
  );
  expect((await fetch(`${url}/offers/offer/response`, post(acceptedResponse, createJsonHeaders()))).status).toBe(500);
  expect(onError.mock.calls).toEqual([
    [
      expect.objectContaining({
        code: "body_already_consumed",
        message:
          "The body was consumed before it reached the webhook receiver, probably by a body parser such as express.json() or Fastify's own. Mount the receiver before the parser, or in Express have the parser keep the bytes as request.rawBody. In Fastify, mount it in a scope whose content-type parser leaves the body unread, as the Fastify recipe shows.",
      }),
    ],
  ]);
});

test("the error for a router on an Express route names app.use", async () => {
  const onRejected = vi.fn();
  const { url } = await serve(express().all("/offers/*path", webhookRouter({ secret, onRejected })));
  await fetch(`${url}/offers/test`);
  expect(onRejected.mock.calls).toEqual([
    [
      expect.objectContaining({
        message: "No webhook has this path. Mount webhookRouter with app.use(path, …), not with app.all or app.post.",
      }),
    ],
  ]);
});

test("verifyWebhook without options is rejected at construction", () =>
  expect(() => verifyWebhook(undefined as never)).toThrow(/^Pass an options object with at least `secret`/));
