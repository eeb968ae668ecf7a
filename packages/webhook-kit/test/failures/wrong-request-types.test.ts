import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Hono } from "hono";
import { describe, expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { parseWebhook, webhookHandler } from "../../src/fetch.ts";
import { verifyRequest } from "../../src/index.ts";
import { webhookFunction } from "../../src/lambda.ts";
import { webhookListener } from "../../src/node.ts";
import { secret } from "../support/serve.ts";

const handle = vi.fn();
const options = { secret, onEvent: handle, onRejected: () => undefined };

/**
 * Values that are not HTTP events. The objects follow the AWS documentation. Lambda counts an event as handled if the function returns any
 * value.
 */
const lambdaEvents: [string, unknown][] = [
  ["an SQS event", { Records: [{ messageId: "1", body: "{}", eventSource: "aws:sqs", attributes: {} }] }],
  ["an EventBridge event", { version: "0", "detail-type": "Scheduled Event", source: "aws.events", detail: {} }],
  ["a WebSocket event", { requestContext: { routeKey: "$connect", connectionId: "1" }, isBase64Encoded: false }],
  ["a VPC Lattice event", { version: "2.0", path: "/test", method: "GET", headers: {}, requestContext: {} }],
  ["undefined", undefined],
  ["null", null],
  ["a string", "GET /test"],
];

describe("webhookFunction", () => {
  test.each(lambdaEvents)(
    "webhookFunction rejects %s so that Lambda does not count it as handled",
    async (_, event) => {
      await expect(webhookFunction(options)(event as never)).rejects.toEqual(
        expect.objectContaining({
          name: "ConfigurationError",
          code: "wrong_request_type",
          message: expect.stringMatching(/^webhookFunction .*HTTP API.*trigger/s),
          docsUrl: expect.stringContaining("wrong_request_type"),
        }),
      );
      expect(handle).not.toHaveBeenCalled();
    },
  );

  test("the error for an event with Records explains that a queue or a stream sent the event", async () => {
    const event = { Records: [{ body: "PRIVATE" }] };
    const error = await webhookFunction(options)(event as never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringMatching(/Records.*queue/) });
    expect(String(error)).not.toContain("PRIVATE");
  });
});

const request = () => new Request("http://127.0.0.1/test");
const nodeRequest = () => new IncomingMessage(new Socket());
const nodeResponse = () => new ServerResponse(nodeRequest());
const next = () => undefined;
const callAsync = async (call: () => unknown) => call();

/** A wrong call, a function that makes it, and a pattern for the error, which names the correct call. */
const calls: [string, () => unknown, RegExp][] = [
  ["webhookHandler with node:http's request", () => webhookHandler(options)(nodeRequest() as never), /webhookListener/],
  ["webhookHandler with nothing", () => webhookHandler(options)(undefined as never), /take a fetch Request/],
  [
    "webhookHandler with Hono's context",
    async () => {
      let receiverError: unknown;
      const app = new Hono().get("*", async (context) => {
        receiverError = await callAsync(() => webhookHandler(options)(context as never)).catch(
          (error: unknown) => error,
        );
        return context.body(null);
      });
      await app.request("/test");
      // Hono turns errors into responses, so the error is thrown outside its handler.
      throw receiverError;
    },
    /context\.req\.raw/,
  ],
  ["parseWebhook with a SvelteKit event", () => parseWebhook({ secret }, { request } as never), /event\.request/],
  ["webhookListener with a fetch Request", () => webhookListener(options)(request() as never, {} as never), /fetch/],
  ["webhookListener with nothing", () => webhookListener(options)(undefined as never, undefined as never), /node:http/],
  [
    "webhookListener with Fastify's request and reply",
    () => webhookListener(options)({ raw: nodeRequest(), url: "/test" } as never, { raw: nodeResponse() } as never),
    /request\.raw and reply\.raw/,
  ],
  [
    "webhookRouter with Fastify's request",
    () => webhookRouter(options)({ raw: nodeRequest(), url: "/test" } as never, {} as never, next),
    /Fastify.*webhookListener/,
  ],
  [
    "verifyWebhook with Fastify's request",
    () => verifyWebhook({ secret })({ raw: nodeRequest(), url: "/test" } as never, {} as never, next),
    /webhookListener/,
  ],
  [
    "webhookRouter in node:http",
    () => createServer(webhookRouter(options) as never).emit("request", {}, {}),
    /Express/,
  ],
  ["verifyRequest without raw headers", () => verifyRequest({ secret }, { headers: {} } as never), /rawHeaders/],
  ["verifyRequest with nothing", () => verifyRequest({ secret }, undefined as never), /rawHeaders/],
  ["verifyRequest with a fetch Request", () => verifyRequest({ secret }, request() as never), /request\.headers/],
];

test.each(calls)("%s throws an error that names the correct call", async (_, call, pattern) => {
  await expect(callAsync(call)).rejects.toEqual(
    expect.objectContaining({
      name: "ConfigurationError",
      code: "wrong_request_type",
      message: expect.stringMatching(pattern),
    }),
  );
  expect(handle).not.toHaveBeenCalled();
});
