import { EventEmitter, once } from "node:events";
import express from "express";
import { createRequest, createResponse } from "node-mocks-http";
import serverless from "serverless-http";
import { describe, expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { standardWebhooks } from "../../src/index.ts";
import { webhookListener } from "../../src/node.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { createHttpApiEvent } from "../recipes/lambda-events.ts";
import { acceptedResponse } from "../support/mount.ts";
import { createJsonHeaders, createSignedHeaders, secret } from "../support/serve.ts";

/** The parts of a request that an adapter receives. */
interface SentRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body?: string;
}
interface ReceivedResponse {
  status: number;
  body: string;
}

const ignore = () => undefined;
const json = JSON.stringify(acceptedResponse);

/** Returns a function that sends requests through serverless-http, which leaves `rawHeaders` empty. */
function createServerlessSender(app: Parameters<typeof serverless>[0]) {
  const handler = serverless(app);
  return async ({ method, path, headers, body = "" }: SentRequest): Promise<ReceivedResponse> => {
    const rawHeaders = Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().flatMap((value) => [name, value]),
    );
    const event = createHttpApiEvent({ method, path, rawHeaders, body: Buffer.from(body), isBinary: false });
    const { statusCode, body: responseBody = "" } = (await handler({ body: "", ...event }, {})) as {
      statusCode: number;
      body?: string;
    };
    return { status: statusCode, body: responseBody };
  };
}

/** Returns a function that sends requests through node-mocks-http, which sets a parsed body and no `rawHeaders`. */
const createMocksSender =
  (listener: (request: never, response: never, next: () => void) => void) =>
  async ({ method, path, headers, body }: SentRequest): Promise<ReceivedResponse> => {
    const request = createRequest({ method: method as "GET", url: path, headers, body: body && JSON.parse(body) });
    const response = createResponse({ eventEmitter: EventEmitter });
    const ended = once(response, "end");
    listener(request as never, response as never, () => response.status(200).end());
    await ended;
    return { status: response.statusCode, body: String(response._getData()) };
  };

type SendRequest = (request: SentRequest) => Promise<ReceivedResponse>;
const receivers: [string, (options: ReceiverOptions) => SendRequest][] = [
  ["webhookListener behind serverless-http", (options) => createServerlessSender(webhookListener(options))],
  ["webhookRouter behind serverless-http", (options) => createServerlessSender(express().use(webhookRouter(options)))],
  ["webhookListener in node-mocks-http", (options) => createMocksSender(webhookListener(options))],
  ["webhookRouter in node-mocks-http", (options) => createMocksSender(webhookRouter(options))],
];

describe.each(receivers)("%s", (_, createSender) => {
  test("a correctly signed webhook is handled", async () => {
    const onWorkerOfferResponse = vi.fn();
    const send = createSender({ secret, onWorkerOfferResponse });
    expect((await send({ method: "GET", path: "/test/auth", headers: createSignedHeaders() })).status).toBe(200);
    const { status } = await send({
      method: "POST",
      path: "/offer/response",
      headers: createJsonHeaders(),
      body: json,
    });
    expect([status, onWorkerOfferResponse.mock.calls[0]?.[0]]).toEqual([200, acceptedResponse]);
  });

  test.each(["Timestamp", "Authorization"])("a request with a second %s header is rejected", async (name) => {
    const onRejected = vi.fn();
    const send = createSender({ secret, onWorkerOfferResponse: ignore, onRejected });
    const headers = createSignedHeaders();
    const value = headers[name] ?? "";
    // Some platforms join headers that have the same name with a comma.
    for (const values of [`${value}, ${value}`, `${value},${value}`, [value, value]]) {
      const { status } = await send({ method: "GET", path: "/test/auth", headers: { ...headers, [name]: values } });
      expect(status).toBe(401);
    }
    expect(onRejected.mock.calls.map(([{ code }]) => code)).toEqual(Array(3).fill("duplicate_header"));
  });

  test("an unsigned request is rejected", async () => {
    const onRejected = vi.fn();
    const send = createSender({ secret, onWorkerOfferResponse: ignore, onRejected });
    const headers = { "content-type": "application/json" };
    const { status } = await send({ method: "POST", path: "/offer/response", headers, body: json });
    expect([status, onRejected.mock.calls[0]?.[0]]).toEqual([
      401,
      expect.objectContaining({ code: "missing_timestamp" }),
    ]);
  });
});

test("behind serverless-http, a scheme that signs the body gets its bytes", async () => {
  const onWorkerOfferResponse = vi.fn();
  const scheme = standardWebhooks();
  const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const send = createServerlessSender(webhookListener({ secret: whsec, scheme, onWorkerOfferResponse }));
  const signature = await scheme.sign({ secret: whsec, now: new Date(), body: Buffer.from(json) });
  const headers = { "content-type": "application/json", ...signature };
  expect((await send({ method: "POST", path: "/offer/response", headers, body: json })).status).toBe(200);
  expect(onWorkerOfferResponse).toHaveBeenCalledOnce();
});

test("in node-mocks-http, verifyWebhook verifies headers and calls next", async () => {
  const send = createMocksSender(verifyWebhook({ secret, onRejected: ignore }));
  expect((await send({ method: "GET", path: "/own", headers: createSignedHeaders() })).status).toBe(200);
  expect((await send({ method: "GET", path: "/own", headers: {} })).status).toBe(401);
});
