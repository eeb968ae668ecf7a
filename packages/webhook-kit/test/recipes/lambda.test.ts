import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { webhookFunction } from "@offers/webhook-kit/lambda";
import { signHeaders, testReceiver } from "@offers/webhook-kit/testing";
import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from "aws-lambda";
import { handle } from "hono/aws-lambda";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { prepareRecipe } from "../support/prepare-recipe.ts";
import {
  createHttpApiEvent,
  createLoadBalancerEvent,
  createRestApiEvent,
  type GatewayRequest,
} from "./lambda-events.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const log = prepareRecipe({ WEBHOOK_SECRET: secret });
const { handler } = await import("./lambda.ts");
const { default: honoApp } = await import("./hono.ts");

type TestedEvent = APIGatewayProxyEventV2 | APIGatewayProxyEvent | ALBEvent;
interface FunctionResult {
  statusCode: number;
  headers?: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded?: boolean;
}

/** Creates a gateway that turns a request into an event for the function, and its result into a response. */
const createGateway =
  (
    toEvent: (request: GatewayRequest) => TestedEvent,
    isBinary: boolean,
    invoke: (event: TestedEvent) => Promise<FunctionResult>,
  ) =>
  async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = "", url: path = "", rawHeaders } = incoming;
    // A gateway sends the event as JSON.
    const event = JSON.parse(
      JSON.stringify(toEvent({ method, path, rawHeaders, isBinary, body: await buffer(incoming) })),
    );
    const { statusCode, body, headers, multiValueHeaders, isBase64Encoded } = await invoke(event);
    response.writeHead(statusCode, { ...headers, ...multiValueHeaders });
    response.end(Buffer.from(body, isBase64Encoded ? "base64" : "utf8"));
  };

// Hono's types contain only the event fields that it reads.
const invokeHono = handle(honoApp) as (event: object) => Promise<object>;

const functions: [name: string, invoke: (event: TestedEvent) => Promise<FunctionResult>][] = [
  ["the recipe", handler],
  ["Hono's adapter", (event) => invokeHono(event) as Promise<FunctionResult>],
];
const events: [name: string, toEvent: (request: GatewayRequest) => TestedEvent][] = [
  ["an HTTP API", createHttpApiEvent],
  ["a REST API", createRestApiEvent],
  ["a load balancer with multi-value headers", (request) => createLoadBalancerEvent(request, true)],
];
const accepted = { offerId: "offer_1", workerId: "worker_Jürgen", response: "accepted" } as const;

beforeEach(() => log.mockClear());

describe.each(functions)("%s", (_function, invoke) => {
  test.each(events)(
    "a function passes all checks behind %s, with bodies as strings and in base64",
    async (_name, toEvent) => {
      for (const isBinary of [false, true]) {
        await using receiver = await testReceiver(createGateway(toEvent, isBinary, invoke), {
          secret,
          basePath: "/offers",
        });
        expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
      }
      expect(log.mock.calls).toEqual([Object.values(accepted), Object.values(accepted)]);
    },
  );

  test("a function cannot see a repeated header behind a load balancer that passes only the last value", async () => {
    const listener = createGateway((request) => createLoadBalancerEvent(request, false), false, invoke);
    await using receiver = await testReceiver(listener, { secret, basePath: "/offers" });
    const problems = await receiver.checkContract();
    expect(problems).not.toEqual([]);
    for (const problem of problems)
      expect(problem).toMatch(/^A request with (\w+ twice|a forged \w+ before the genuine one) must /);
  });
});

test("the recipe accepts an event with only the fields that a function URL sends", async () => {
  const headers = await signHeaders({ secret });
  const { statusCode } = await handler({
    rawPath: "/offers/test/auth",
    requestContext: { http: { method: "GET" } },
    headers,
    isBase64Encoded: false,
  });
  expect(statusCode).toBe(200);
});

test("the message for a 404 suggests a custom domain's base path as the cause, but does not contain the path", async () => {
  const onRejected = vi.fn();
  const handlerBehindDomain = webhookFunction({ basePath: "/offers", secret, onRejected });
  const headers = await signHeaders({ secret });
  const event = { path: "/PRIVATE/v1/offers/test/auth", httpMethod: "GET", headers, isBase64Encoded: false };
  expect((await handlerBehindDomain(event)).statusCode).toBe(404);
  const [[rejection]] = onRejected.mock.calls as [[{ message: string }]];
  expect(rejection.message).toContain(
    "2 segments before basePath, such as an API's stage or a custom domain's base path.",
  );
  expect(rejection.message).not.toContain("PRIVATE");
});
