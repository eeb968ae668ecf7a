import { context, type Span, SpanKind, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { parseWebhook, webhookHandler } from "../../src/fetch.ts";
import { parseWebhookEvent, type WebhookEvent } from "../../src/index.ts";
import { traceEvent, webhookTracer } from "../../src/opentelemetry.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { captureConsole } from "../support/capture-console.ts";
import { createJsonHeaders, quietOptions, secret } from "../support/serve.ts";

captureConsole();

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
const tracer = provider.getTracer("test");

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
});
beforeEach(() => exporter.reset());
afterAll(() => provider.shutdown());

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${spanId}-01`;
const body = JSON.stringify({ offerId: "offer_1", workerId: "worker_amal", response: "accepted" });

const createRequest = (headers: Record<string, string>) =>
  new Request("https://us.example/offer/response", { method: "POST", headers: createJsonHeaders(headers), body });

type TracerOptions = NonNullable<Parameters<typeof webhookTracer>[0]>;

/** Sends one event to a receiver. @returns the status, the span of the request, and the span that its handler starts */
async function receiveEvent(
  headers: Record<string, string>,
  options: TracerOptions = {},
  overrides: Partial<ReceiverOptions> = {},
) {
  const handler = webhookHandler({
    ...quietOptions,
    secret,
    onError: () => undefined,
    tracer: webhookTracer({ tracer, ...options }),
    onWorkerOfferResponse: () => void tracer.startSpan("save").end(),
    ...overrides,
  });
  const { status } = await handler(createRequest(headers));
  const spans = exporter.getFinishedSpans();
  return {
    status,
    requestSpan: spans.find(({ name }) => name.startsWith("webhook")),
    handlerSpan: spans.find(({ name }) => name === "save"),
  };
}

test("the span of a verified request continues the sender's trace [D-138]", async () => {
  const { status, requestSpan, handlerSpan } = await receiveEvent({ traceparent, tracestate: "vendor=1" });
  expect([status, requestSpan?.spanContext().traceId, requestSpan?.parentSpanContext?.spanId]).toEqual([
    200,
    traceId,
    spanId,
  ]);
  expect(requestSpan?.parentSpanContext).toMatchObject({ isRemote: true });
  expect(requestSpan?.spanContext().traceState?.serialize()).toBe("vendor=1");
  expect(requestSpan?.kind).toBe(SpanKind.SERVER);
  expect(handlerSpan?.parentSpanContext?.spanId).toBe(requestSpan?.spanContext().spanId);
});

test("the span of a rejected request does not continue the sender's trace [D-138]", async () => {
  const { status, requestSpan } = await receiveEvent({ traceparent, Authorization: `hmac ${"0".repeat(64)}` });
  expect([status, requestSpan?.parentSpanContext]).toEqual([401, undefined]);
  expect(requestSpan?.spanContext().traceId).not.toBe(traceId);
  expect(requestSpan?.attributes).toMatchObject({
    "offers.webhook.outcome": "rejected",
    "error.type": "signature_mismatch",
  });
});

/** Runs the work in an active span, as HTTP instrumentation does. @returns the span */
const runInServerSpan = (work: () => Promise<unknown>): Promise<Span> =>
  tracer.startActiveSpan("server", async (span) => {
    await work();
    span.end();
    return span;
  });

test("an active span is the parent of the request span, even if the sender has a trace [D-138]", async () => {
  let result: Awaited<ReturnType<typeof receiveEvent>> | undefined;
  const serverSpan = await runInServerSpan(async () => {
    result = await receiveEvent({ traceparent });
  });
  expect(result?.requestSpan?.parentSpanContext?.spanId).toBe(serverSpan.spanContext().spanId);
  expect(result?.requestSpan?.links).toEqual([]);
  expect(result?.requestSpan?.kind).toBe(SpanKind.INTERNAL);
});

test("with sender: link, the span is not in the sender's trace but links to it, even when a span is active", async () => {
  const { requestSpan } = await receiveEvent({ traceparent }, { sender: "link" });
  expect([requestSpan?.parentSpanContext, requestSpan?.links.map((link) => link.context.spanId)]).toEqual([
    undefined,
    [spanId],
  ]);
  exporter.reset();
  let result: Awaited<ReturnType<typeof receiveEvent>> | undefined;
  const serverSpan = await runInServerSpan(async () => {
    result = await receiveEvent({ traceparent }, { sender: "link" });
  });
  expect(result?.requestSpan?.parentSpanContext?.spanId).toBe(serverSpan.spanContext().spanId);
  expect(result?.requestSpan?.links.map((link) => link.context.traceId)).toEqual([traceId]);
});

test("with sender: ignore, the span does not refer to the sender's trace", async () => {
  const { requestSpan } = await receiveEvent({ traceparent }, { sender: "ignore" });
  expect([requestSpan?.parentSpanContext, requestSpan?.links]).toEqual([undefined, []]);
});

test.each([
  ["in upper case", traceparent.toUpperCase()],
  ["with a zero trace id", `00-${"0".repeat(32)}-${spanId}-01`],
  ["with two values", `${traceparent}, ${traceparent}`],
])("a traceparent header %s is ignored", async (_description, invalidTraceparent) => {
  const { status, requestSpan } = await receiveEvent({ traceparent: invalidTraceparent });
  expect([status, requestSpan?.parentSpanContext]).toEqual([200, undefined]);
});

test("a duplicate also has a span in the sender's trace", async () => {
  const handler = webhookHandler({ secret, tracer: webhookTracer({ tracer }), onWorkerOfferResponse: () => undefined });
  const request = createRequest({ traceparent });
  await handler(request.clone());
  await handler(request);
  expect(
    exporter.getFinishedSpans().map((span) => [span.attributes["offers.webhook.outcome"], span.spanContext().traceId]),
  ).toEqual([
    ["handled", traceId],
    ["duplicate", traceId],
  ]);
});

test("the trace passes through a queue, so the span of traceEvent is a child of the request span", async () => {
  const options = { secret, tracer: webhookTracer({ tracer }) };
  const { event } = await parseWebhook(options, createRequest({ traceparent, tracestate: "vendor=1" }));
  const queuedEvent = parseWebhookEvent(JSON.parse(JSON.stringify(event)));
  const result = await traceEvent(
    queuedEvent,
    async () => {
      await Promise.resolve();
      tracer.startSpan("save").end();
      return 7;
    },
    { tracer },
  );
  const [requestSpan, handlerSpan, processSpan] = exporter.getFinishedSpans();
  expect([result, queuedEvent.trace?.tracestate]).toEqual([7, "vendor=1"]);
  expect([requestSpan, handlerSpan, processSpan].map((span) => span?.name)).toEqual([
    "webhook WorkerOfferResponse",
    "save",
    "process WorkerOfferResponse",
  ]);
  expect([requestSpan, handlerSpan, processSpan].map((span) => span?.spanContext().traceId)).toEqual([
    traceId,
    traceId,
    traceId,
  ]);
  expect(processSpan?.parentSpanContext?.spanId).toBe(requestSpan?.spanContext().spanId);
  expect(handlerSpan?.parentSpanContext?.spanId).toBe(processSpan?.spanContext().spanId);
  expect(processSpan?.kind).toBe(SpanKind.CONSUMER);
});

test("traceEvent rejects with the error from the work, and the span records only the error name", async () => {
  const event: Pick<WebhookEvent, "type" | "trace"> = { type: "WorkerOfferResponse" };
  const failure = new TypeError("SENTINEL");
  await expect(traceEvent(event, () => Promise.reject(failure), { tracer })).rejects.toBe(failure);
  const [span] = exporter.getFinishedSpans();
  expect([span?.status, span?.attributes["error.type"], span?.parentSpanContext]).toEqual([
    { code: 2 },
    "TypeError",
    undefined,
  ]);
  expect(JSON.stringify([span?.attributes, span?.events, span?.status])).not.toContain("SENTINEL");
});

test.each([null, 7, "text", {}, { traceparent: "x" }, { traceparent: 7 }])(
  "parseWebhookEvent ignores the invalid trace %j of a queued event",
  (invalidTrace) => {
    const event = {
      type: "WorkerAddedContact",
      data: { workerId: "w" },
      receivedAt: "2026-11-24T00:00:00.000Z",
      trace: invalidTrace,
    };
    expect(parseWebhookEvent(event).trace).toBeUndefined();
  },
);

test("the duration metric has attributes for the endpoint, the outcome and the reason for a rejection", async () => {
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: metricExporter })],
  });
  onTestFinished(() => meterProvider.shutdown());
  const meter = meterProvider.getMeter("test");
  const handler = webhookHandler({
    ...quietOptions,
    secret,
    tracer: webhookTracer({ tracer, meter }),
    onWorkerOfferResponse: () => undefined,
  });
  const request = createRequest({});
  await handler(request.clone());
  await handler(request);
  await handler(createRequest({ Authorization: `hmac ${"0".repeat(64)}` }));
  await meterProvider.forceFlush();
  const [metric] = metricExporter.getMetrics()[0]?.scopeMetrics[0]?.metrics ?? [];
  expect(metric?.descriptor).toMatchObject({ name: "offers.webhook.duration", unit: "s" });
  const endpoint = { "offers.webhook.endpoint": "WorkerOfferResponse" };
  expect(metric?.dataPoints.map(({ attributes, value }) => [attributes, (value as { count: number }).count])).toEqual([
    [{ ...endpoint, "offers.webhook.outcome": "handled" }, 1],
    [{ ...endpoint, "offers.webhook.outcome": "duplicate" }, 1],
    [{ ...endpoint, "offers.webhook.outcome": "rejected", "error.type": "signature_mismatch" }, 1],
  ]);
});

test("without an SDK the sender's trace reaches the queue, and nothing is recorded", async () => {
  const options = { secret, tracer: webhookTracer() };
  const { event, response } = await parseWebhook(options, createRequest({ traceparent }));
  expect([response.status, event?.trace]).toEqual([200, { traceparent }]);
  expect(trace.getTracerProvider().constructor.name).toBe("ProxyTracerProvider");
});

test("a receiver that is created before the SDK traces requests once the SDK is registered", async () => {
  const handler = webhookHandler({ secret, tracer: webhookTracer(), onWorkerOfferResponse: () => undefined });
  await handler(createRequest({}));
  trace.setGlobalTracerProvider(provider);
  onTestFinished(() => trace.disable());
  await handler(createRequest({ "x-request": "2" }));
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(["webhook WorkerOfferResponse"]);
});

test.each([{ sender: "child" }, { traceer: tracer }])("webhookTracer rejects the options %j", (invalidOptions) => {
  const create = () => webhookTracer(invalidOptions as TracerOptions);
  expect(create).toThrow(expect.objectContaining({ code: "invalid_option" }));
});
