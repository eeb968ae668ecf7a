import { EventEmitter, once } from "node:events";
import express from "express";
import { createRequest, createResponse } from "node-mocks-http";
import serverless from "serverless-http";
import { describe, expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { standardWebhooks } from "../../src/index.ts";
import { webhookListener } from "../../src/node.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { httpApiEvent } from "../recipes/lambda-events.ts";
import { accepted } from "../support/mount.ts";
import { secret, signed, signedJson } from "../support/serve.ts";

/** The parts of a request that an adapter receives. */
interface Sent {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body?: string;
}
interface Received {
  status: number;
  body: string;
}

const ignore = () => undefined;
const json = JSON.stringify(accepted);

/** serverless-http creates a request whose `rawHeaders` are empty. */
function behindServerless(app: Parameters<typeof serverless>[0]) {
  const handler = serverless(app);
  return async ({ method, path, headers, body = "" }: Sent): Promise<Received> => {
    const rawHeaders = Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().flatMap((one) => [name, one]),
    );
    const event = httpApiEvent({ method, path, rawHeaders, body: Buffer.from(body), isBinary: false });
    const { statusCode, body: received = "" } = (await handler({ body: "", ...event }, {})) as {
      statusCode: number;
      body?: string;
    };
    return { status: statusCode, body: received };
  };
}

/** node-mocks-http creates a request without `rawHeaders` that is not a stream: its body is a value. */
const inMocks =
  (listener: (request: never, response: never, next: () => void) => void) =>
  async ({ method, path, headers, body }: Sent): Promise<Received> => {
    const request = createRequest({ method: method as "GET", url: path, headers, body: body && JSON.parse(body) });
    const response = createResponse({ eventEmitter: EventEmitter });
    const ended = once(response, "end");
    listener(request as never, response as never, () => response.status(200).end());
    await ended;
    return { status: response.statusCode, body: String(response._getData()) };
  };

type Ask = (sent: Sent) => Promise<Received>;
const receivers: [string, (options: ReceiverOptions) => Ask][] = [
  ["webhookListener behind serverless-http", (options) => behindServerless(webhookListener(options))],
  ["webhookRouter behind serverless-http", (options) => behindServerless(express().use(webhookRouter(options)))],
  ["webhookListener in node-mocks-http", (options) => inMocks(webhookListener(options))],
  ["webhookRouter in node-mocks-http", (options) => inMocks(webhookRouter(options))],
];

describe.each(receivers)("%s", (_, start) => {
  test("a correctly signed webhook is handled", async () => {
    const onWorkerOfferResponse = vi.fn();
    const ask = start({ secret, onWorkerOfferResponse });
    expect((await ask({ method: "GET", path: "/test/auth", headers: signed() })).status).toBe(200);
    const { status } = await ask({ method: "POST", path: "/offer/response", headers: signedJson(), body: json });
    expect([status, onWorkerOfferResponse.mock.calls[0]?.[0]]).toEqual([200, accepted]);
  });

  test.each(["Timestamp", "Authorization"])("a second %s, joined with a comma or not, is rejected", async (name) => {
    const onRejected = vi.fn();
    const ask = start({ secret, onWorkerOfferResponse: ignore, onRejected });
    const headers = signed();
    const value = headers[name] ?? "";
    for (const twice of [`${value}, ${value}`, `${value},${value}`, [value, value]]) {
      const { status } = await ask({ method: "GET", path: "/test/auth", headers: { ...headers, [name]: twice } });
      expect(status).toBe(401);
    }
    expect(onRejected.mock.calls.map(([{ code }]) => code)).toEqual(Array(3).fill("duplicate_header"));
  });

  test("an unsigned request is rejected", async () => {
    const onRejected = vi.fn();
    const ask = start({ secret, onWorkerOfferResponse: ignore, onRejected });
    const headers = { "content-type": "application/json" };
    const { status } = await ask({ method: "POST", path: "/offer/response", headers, body: json });
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
  const ask = behindServerless(webhookListener({ secret: whsec, scheme, onWorkerOfferResponse }));
  const signature = await scheme.sign({ secret: whsec, now: new Date(), body: Buffer.from(json) });
  const headers = { "content-type": "application/json", ...signature };
  expect((await ask({ method: "POST", path: "/offer/response", headers, body: json })).status).toBe(200);
  expect(onWorkerOfferResponse).toHaveBeenCalledOnce();
});

test("in node-mocks-http, verifyWebhook verifies headers and calls next", async () => {
  const ask = inMocks(verifyWebhook({ secret, onRejected: ignore }));
  expect((await ask({ method: "GET", path: "/own", headers: signed() })).status).toBe(200);
  expect((await ask({ method: "GET", path: "/own", headers: {} })).status).toBe(401);
});
