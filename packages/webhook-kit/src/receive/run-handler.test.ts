import { setTimeout as sleep } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import type { HandledEndpoint } from "../endpoints/endpoint.ts";
import type { HandlerContext } from "../endpoints/handlers.ts";
import { HandlerError } from "../errors/errors.ts";
import { acknowledged } from "../http/response.ts";
import type { VerifiedRequest } from "../signature/verify-signature.ts";
import { runHandler } from "./run-handler.ts";

const incoming = { rawHeaders: ["Offers-Delivery-Id", "delivery_7"], request: undefined };
const request: VerifiedRequest = {
  parsed: { signedAt: { earliest: 0, latest: 0 }, signature: new Uint8Array() },
  receivedAt: new Date(0),
  verified: { scheme: "s", variant: "r", secretIndex: 0, skewSeconds: 0 },
  tenant: "",
  body: undefined,
};
const endpoint = {
  name: "Test",
  handler: "onTimelineChanged",
  respond: () => acknowledged,
} as unknown as HandledEndpoint;
type Handle = (context: HandlerContext<undefined>) => unknown;
const startHandler = (handle: Handle, handlerTimeoutMs: number, respond = endpoint.respond) =>
  runHandler(
    { handlers: { onTimelineChanged: (_: unknown, context: unknown) => handle(context as never) }, handlerTimeoutMs },
    { ...endpoint, respond },
    {},
    incoming,
    request,
    undefined,
  );
const run = (handle: Handle, timeoutMs: number) => startHandler(handle, timeoutMs).response;

test("after a handler has finished, its signal never aborts", async () => {
  let signal: AbortSignal | undefined;
  await run(async (context) => {
    signal = context.signal;
  }, 20);
  await sleep(60);
  expect(signal?.aborted).toBe(false);
});

test("a signal that is first read after the timeout has already aborted", async () => {
  let late: Promise<boolean> | undefined;
  const response = run((context) => {
    late = sleep(60).then(() => context.signal.aborted);
    return new Promise(() => undefined);
  }, 20);
  await expect(response).rejects.toEqual(expect.objectContaining({ code: "handler_timed_out" }));
  expect(await late).toBe(true);
});

test("a signal is the same each time it is read, and aborts with a TimeoutError that names the option", async () => {
  const signals: AbortSignal[] = [];
  const response = run((context) => {
    signals.push(context.signal, context.signal);
    return new Promise(() => undefined);
  }, 20);
  await expect(response).rejects.toEqual(
    expect.objectContaining({
      code: "handler_timed_out",
      message: expect.stringMatching(
        /handler for Test took more than 20 ms.*https:\/\/\S+\/docs\/guides\/workers\.md .*raise handlerTimeoutMs/,
      ),
    }),
  );
  expect(signals[0]).toBe(signals[1]);
  expect(signals[0]?.reason).toBeInstanceOf(DOMException);
  expect(signals[0]?.reason).toMatchObject({
    name: "TimeoutError",
    message: expect.stringContaining("handlerTimeoutMs"),
  });
});

test("a handler's context contains the source, the id, the time and the verified signature", () => {
  const handle = vi.fn();
  startHandler(handle, 1_000);
  expect(handle.mock.calls[0]?.[0]).toMatchObject({
    source: "webhook",
    unverifiedDeliveryId: "delivery_7",
    receivedAt: request.receivedAt,
    verified: request.verified,
  });
});

test("a handler that fails after its timeout has no effect", async () => {
  const response = run(() => sleep(40).then(() => Promise.reject(new Error("late"))), 10);
  await expect(response).rejects.toEqual(expect.objectContaining({ code: "handler_timed_out" }));
  await sleep(60);
});

test("a handler's outcome is available even after its timeout", async () => {
  const late = startHandler(() => sleep(40), 10);
  await expect(late.response).rejects.toEqual(expect.objectContaining({ code: "handler_timed_out" }));
  expect(await late.outcome).toBe(acknowledged);
});

test("any value that a handler throws becomes the cause, but the kit's error about its result is unchanged", async () => {
  const runFailing = (cause: unknown) => run(() => Promise.reject(cause), 1_000);
  for (const cause of [new Error("own"), "a string", undefined, null])
    await expect(runFailing(cause)).rejects.toEqual(expect.objectContaining({ code: "handler_failed", cause }));
  const invalid = new HandlerError("invalid_handler_result", "…");
  await expect(runFailing(invalid)).rejects.toEqual(
    expect.objectContaining({ code: "handler_failed", cause: invalid }),
  );
  const respond = () => {
    throw invalid;
  };
  await expect(startHandler(() => undefined, 1_000, respond).response).rejects.toBe(invalid);
});

test("the error for a handler that throws synchronously names its endpoint", async () => {
  const cause = new Error("own");
  const response = run(() => {
    throw cause;
  }, 1_000);
  await expect(response).rejects.toEqual(
    expect.objectContaining({
      code: "handler_failed",
      cause,
      message: expect.stringMatching(/handler for Test threw; see this error's cause/),
    }),
  );
});

test("a handler's promise from another realm is awaited like any other", async () => {
  const respond = vi.fn(() => acknowledged);
  const handle = () => runInNewContext("Promise.resolve('rows')");
  expect(await startHandler(handle, 1_000, respond).response).toBe(acknowledged);
  expect(respond.mock.calls).toEqual([["rows"]]);
});

test("the response is synchronous if the handler does not return a promise, and its signal never aborts", () => {
  let signal: AbortSignal | undefined;
  const { response, outcome } = startHandler((context) => {
    signal = context.signal;
  }, 20);
  expect([response, outcome]).toEqual([acknowledged, acknowledged]);
  expect(signal?.aborted).toBe(false);
});

test("an endpoint without a handler is acknowledged", () => {
  const endpointWithoutHandler = { ...endpoint, handler: undefined } as unknown as HandledEndpoint;
  const options = { handlers: {}, handlerTimeoutMs: 20 };
  expect(runHandler(options, endpointWithoutHandler, {}, incoming, request, undefined)).toEqual({
    response: acknowledged,
    outcome: acknowledged,
  });
});
