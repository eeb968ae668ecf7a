import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  trace.setGlobalTracerProvider(provider);
});
afterAll(() => provider.shutdown());

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const callerSpanId = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${callerSpanId}-01`;
const key = "demo-key-harbour";

describe.each(await anyStore())("tracing on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let receiver: Receiver;

  beforeEach(async () => {
    database = await createDatabase();
    receiver = await openReceiver();
    platform = await openPlatform(database);
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    const json = {
      baseAddress: receiver.baseAddress,
      secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52",
      suggestsContacts: false,
    };
    await platform.call("PUT", "/portal/profile", { token, json });
    receiver.requests.length = 0;
    exporter.reset();
  });
  afterEach(async () => {
    await platform.close();
    await receiver.close();
    await database.remove();
  });

  const createOffer = async (headers: Record<string, string> = {}): Promise<string> => {
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const response = await platform.call("POST", "/offer?api-version=1.0", { key, json, headers });
    return response.json<{ id: string }>().id;
  };

  const applyToOffer = async (offerId: string, headers: Record<string, string> = {}): Promise<void> => {
    const token = await platform.signInWorker("worker_amal");
    exporter.reset();
    await platform.call("POST", `/worker-app/offers/${offerId}/apply`, { token, headers });
  };

  const findAttemptSpans = (): ReadableSpan[] =>
    exporter.getFinishedSpans().filter(({ name }) => name === "POST /offer/response");
  const getParentSpanId = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;

  test("the caller's trace continues through the request, the push, the worker's response and each attempt", async () => {
    let attemptCount = 0;
    receiver.respond = (request, response) => {
      attemptCount += 1;
      respondWith(attemptCount === 1 ? 500 : 200)(request, response);
    };
    const offerId = await createOffer({ traceparent, tracestate: "vendor=1" });
    await eventually("the offer is pushed", () =>
      exporter.getFinishedSpans().some(({ name }) => name === "push notification"),
    );
    const [request] = exporter.getFinishedSpans().filter(({ name }) => name === "POST /offer");
    expect([request?.spanContext().traceId, getParentSpanId(request)]).toEqual([traceId, callerSpanId]);
    const [push] = exporter.getFinishedSpans().filter(({ name }) => name === "push notification");
    expect([push?.spanContext().traceId, getParentSpanId(push)]).toEqual([traceId, request?.spanContext().spanId]);

    await applyToOffer(offerId);
    await eventually("the delivery is acknowledged", () => findAttemptSpans().length === 2);
    const response = exporter.getFinishedSpans().find(({ name }) => name === "worker response");
    const applyRequest = exporter.getFinishedSpans().find(({ name }) => /^POST .*apply$/.test(name));
    expect([response?.spanContext().traceId, getParentSpanId(response)]).toEqual([
      traceId,
      request?.spanContext().spanId,
    ]);
    expect(response?.links.map((link) => link.context.spanId)).toEqual([applyRequest?.spanContext().spanId]);
    for (const attempt of findAttemptSpans()) expect(getParentSpanId(attempt)).toBe(response?.spanContext().spanId);
    expect(findAttemptSpans().map(({ attributes }) => attributes["http.response.status_code"])).toEqual([500, 200]);
    expect(findAttemptSpans().map(({ attributes }) => attributes["error.type"])).toEqual(["500", undefined]);
    expect(receiver.requests.map(({ headers }) => [headers.traceparent, headers.tracestate])).toEqual(
      findAttemptSpans().map((span) => [`00-${traceId}-${span.spanContext().spanId}-01`, "vendor=1"]),
    );
  });

  test("a trace from the worker app replaces the trace of the offer", async () => {
    const offerId = await createOffer({ traceparent });
    const workerTraceparent = traceparent.replace(traceId, "a".repeat(32));
    await applyToOffer(offerId, { traceparent: workerTraceparent });
    await eventually("the delivery is acknowledged", () => findAttemptSpans().length === 1);
    expect(findAttemptSpans()[0]?.spanContext().traceId).toBe("a".repeat(32));
  });

  test("spans do not contain ids, keys or names, and baggage is not forwarded", async () => {
    const offerId = await createOffer({ traceparent, baggage: "user=SENTINEL" });
    await applyToOffer(offerId);
    await eventually("the delivery is acknowledged", () => findAttemptSpans().length === 1);
    const text = JSON.stringify(
      exporter.getFinishedSpans().map(({ name, attributes, status, events }) => ({ name, attributes, status, events })),
    );
    for (const secret of [offerId, "worker_amal", key, "Amal", "SENTINEL"]) expect(text).not.toContain(secret);
    expect(receiver.requests[0]?.headers).not.toHaveProperty("baggage");
  });

  test.each([
    ["in capitals", traceparent.toUpperCase()],
    ["with zeros", `00-${"0".repeat(32)}-${callerSpanId}-01`],
    ["with trailing characters", `${traceparent}'; drop table events; --`],
    ["with two values", `${traceparent}, ${traceparent}`],
  ])("an invalid traceparent %s starts a new trace, and is not logged or forwarded", async (_description, invalid) => {
    const offerId = await createOffer({ traceparent: invalid, tracestate: "SENTINEL" });
    await applyToOffer(offerId);
    await eventually("the delivery is acknowledged", () => findAttemptSpans().length === 1);
    const [webhookRequest] = receiver.requests;
    expect(webhookRequest?.headers.traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/);
    expect(String(webhookRequest?.headers.traceparent).toLowerCase()).not.toContain(traceId);
    expect(webhookRequest?.headers).not.toHaveProperty("tracestate");
    expect(platform.logLines.join()).not.toMatch(/SENTINEL|drop table/);
  });
});
