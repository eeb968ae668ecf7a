import { context, type Meter, propagation, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { ConflictError, OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { TracedOffersClient } from "../../src/opentelemetry.ts";
import { input, offer } from "../support/offer.ts";
import { type Responder, respondWith, serve } from "../support/serve.ts";

const apiKey = "SENTINEL-key-of-harbour";
const id = "SENTINEL-offer";
const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;
const respondWithOffer = respondWith(200, JSON.stringify(offer));

/** The W3C header, written by hand so that the test shows its format: https://www.w3.org/TR/trace-context/#traceparent-header */
const w3cPropagator: Parameters<typeof propagation.setGlobalPropagator>[0] = {
  inject(activeContext, carrier, setter) {
    const span = trace.getSpanContext(activeContext);
    if (!span) return;
    setter.set(carrier, "traceparent", `00-${span.traceId}-${span.spanId}-0${span.traceFlags}`);
    // The client drops both: an empty tracestate is invalid, and baggage may contain any of the caller's data.
    setter.set(carrier, "tracestate", "");
    setter.set(carrier, "Baggage", "user=hana");
  },
  extract: (activeContext) => activeContext,
  fields: () => ["traceparent"],
};

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(w3cPropagator);
  trace.setGlobalTracerProvider(provider);
});
beforeEach(() => exporter.reset());
afterAll(() => provider.shutdown());

async function createTracedClient(
  respond: Responder,
  options: Partial<OffersClientOptions & { tracer: Tracer; meter: Meter }> = {},
) {
  const { baseUrl, received } = await serve(respond);
  return {
    client: new TracedOffersClient({ baseUrl, apiKey, ...options }),
    received,
    port: Number(new URL(baseUrl).port),
  };
}

const getFinishedSpans = () =>
  exporter
    .getFinishedSpans()
    .map(({ name, kind, attributes, status, events }) => ({ name, kind, attributes, status, events }));

test("each call creates one span, which ends with the call and has the attributes from the conventions [D-67]", async () => {
  const { client, port } = await createTracedClient((response, request, count) =>
    (request.method === "GET" && !request.url?.includes("withdraw") ? respondWithOffer : respondWith(201, "offer_1"))(
      response,
      request,
      count,
    ),
  );
  await client.createOffer(input);
  await client.getOffer(id);
  await client.completeOffer(id, ["SENTINEL-worker"]);
  await client.withdrawOffer(id);
  const createExpectedSpan = (name: string, method: string, template: string, status: number) => ({
    name,
    kind: SpanKind.CLIENT,
    status: { code: SpanStatusCode.UNSET },
    events: [],
    attributes: {
      "http.request.method": method,
      "url.template": template,
      "server.address": "127.0.0.1",
      "server.port": port,
      "http.response.status_code": status,
    },
  });
  expect(getFinishedSpans()).toEqual([
    createExpectedSpan("CreateOffer", "POST", "/offer", 201),
    createExpectedSpan("GetOffer", "GET", "/offer/{id}", 200),
    createExpectedSpan("CompleteOffer", "POST", "/offer/{id}/complete", 201),
    createExpectedSpan("WithdrawOffer", "GET", "/offer/{id}/withdraw", 201),
  ]);
});

test("the context is propagated on every attempt, and the span counts the resends", async () => {
  const { client, received } = await createTracedClient((response, request, count) =>
    (count < 3 ? respondWith(503) : respondWithOffer)(response, request, count),
  );
  const { attempts } = await client
    .getOffer(id, { headers: { TraceParent: "from the caller", "x-team": "kitchen" } })
    .withResponse();
  const [span = expect.unreachable()] = exporter.getFinishedSpans();
  const { traceId, spanId } = span.spanContext();
  expect(attempts).toBe(3);
  expect(received.map(({ headers }) => headers.traceparent)).toEqual(Array(3).fill(`00-${traceId}-${spanId}-01`));
  expect(received[0]?.headers).toMatchObject({ "x-team": "kitchen" });
  expect(span.attributes).toMatchObject({ "http.request.resend_count": 2, "http.response.status_code": 200 });
});

test("the span is a child of the active span, and the parent of the spans from middleware and the apiKey function", async () => {
  const tracer = provider.getTracer("test");
  const { client } = await createTracedClient(respondWithOffer, {
    apiKey: async () => {
      tracer.startSpan("vault").end();
      return apiKey;
    },
    middleware: [
      (request, next) => {
        tracer.startSpan("middleware").end();
        return next(request);
      },
    ],
  });
  await tracer.startActiveSpan("request", async (span) => {
    await client.getOffer(id);
    span.end();
  });
  const spans = exporter.getFinishedSpans();
  const namesAndParents = spans.map(({ name, parentSpanContext }) => [
    name,
    spans.find((parent) => parent.spanContext().spanId === parentSpanContext?.spanId)?.name,
  ]);
  expect(namesAndParents).toEqual([
    ["vault", "GetOffer"],
    ["middleware", "GetOffer"],
    ["GetOffer", "request"],
    ["request", undefined],
  ]);
});

test("the code and the status of a failure are recorded on the span, and the call rejects as usual", async () => {
  const { client } = await createTracedClient(respondWith(409, JSON.stringify({ title: "SENTINEL", detail: apiKey })));
  const call = client.completeOffer(id, ["w"]);
  await expect(call).rejects.toBeInstanceOf(ConflictError);
  const result = await call.safe();
  expect(result).toMatchObject({ ok: false, error: { code: "conflict", status: 409, attempts: 1 } });
  await expect(call.withResponse()).rejects.toBe(result.ok || result.error);
  expect(getFinishedSpans()).toMatchObject([
    {
      name: "CompleteOffer",
      status: { code: SpanStatusCode.ERROR },
      attributes: { "error.type": "conflict", "http.response.status_code": 409 },
    },
  ]);
  expect(JSON.stringify(getFinishedSpans())).not.toContain("SENTINEL");
});

test("a call that is rejected before any request creates a span too, without a status", async () => {
  const { client, received } = await createTracedClient(respondWithOffer);
  const result = await client.getOffer("..").safe();
  expect(result).toMatchObject({ ok: false, error: { code: "invalid_id" } });
  const [{ attributes } = expect.unreachable()] = getFinishedSpans();
  expect(attributes).toMatchObject({ "error.type": "invalid_id" });
  expect(Object.keys(attributes)).not.toContain("http.response.status_code");
  expect(received).toEqual([]);
});

test("a failure that safe() returns is not an unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  onTestFinished(() => void process.off("unhandledRejection", record));
  const { client } = await createTracedClient(respondWith(404));
  expect(await client.getOffer(id).safe()).toMatchObject({ ok: false });
  await expect.poll(() => getFinishedSpans()).toHaveLength(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

test("each read of a watch creates a span, and so does a call for another organisation", async () => {
  const { client, received } = await createTracedClient((response, request, count) =>
    respondWith(200, JSON.stringify({ ...offer, complete: count > 1 }))(response, request, count),
  );
  for await (const { response } of client.watchOffer(id, { pollIntervalMs: 0 })) expect(response).toBe("applied");
  const otherClient = client.withApiKey("key-of-seaside").withApiKey("key-of-lakeside");
  expect(otherClient).toBeInstanceOf(TracedOffersClient);
  expect(otherClient).toBeInstanceOf(OffersClient);
  await otherClient.getOffer(id);
  expect(getFinishedSpans().map(({ name }) => name)).toEqual(["GetOffer", "GetOffer", "GetOffer"]);
  expect(received.map(({ headers }) => headers["x-ue-api-subscription-key"])).toEqual([
    apiKey,
    apiKey,
    "key-of-lakeside",
  ]);
});

test("an instrumented fetch adds no span and no second traceparent [D-67]", async () => {
  // Like @opentelemetry/instrumentation-undici, it starts its own span and sends the span context in the headers.
  const instrumentedFetch: typeof fetch = (url, init) => {
    const span = provider.getTracer("instrumentation").startSpan("GET");
    const headers = new Headers(init?.headers);
    const carrier: Record<string, string> = {};
    if (span.isRecording()) propagation.inject(trace.setSpan(context.active(), span), carrier);
    for (const name in carrier) headers.append(name, carrier[name] ?? "");
    span.end();
    return fetch(url, { ...init, headers });
  };
  const { client, received } = await createTracedClient(respondWithOffer, { fetch: instrumentedFetch });
  await client.getOffer(id);
  expect(getFinishedSpans().map(({ name }) => name)).toEqual(["GetOffer"]);
  expect(received[0]?.headers.traceparent).toMatch(traceparent);
});

test.each([
  ["https://service.example", "service.example", 443],
  ["http://localhost", "localhost", 80],
  ["http://[::1]:3000/prefix/", "::1", 3000],
])("the server address of %s is %s with port %i", async (baseUrl, address, port) => {
  const client = new TracedOffersClient({
    baseUrl: new URL(baseUrl),
    apiKey,
    fetch: () => Promise.reject(new Error()),
    maxRetries: 0,
  });
  await client.getOffer(id).safe();
  expect(getFinishedSpans()).toMatchObject([{ attributes: { "server.address": address, "server.port": port } }]);
});

const throwError = () => {
  throw new Error("tracer");
};
const throwingSpan = {
  ...trace.wrapSpanContext({ traceId: "", spanId: "", traceFlags: 0 }),
  setAttribute: throwError,
  end: throwError,
};
test.each<[string, Tracer]>([
  ["at the start", { startSpan: throwError, startActiveSpan: throwError }],
  [
    "at the end",
    {
      startSpan: () =>
        Object.assign(
          Object.create(trace.wrapSpanContext({ traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 })),
          throwingSpan,
        ),
      startActiveSpan: throwError,
    },
  ],
])("a tracer that throws %s does not affect calls", async (_when, tracer) => {
  const { client, received } = await createTracedClient(respondWithOffer, { tracer });
  await expect(client.getOffer(id)).resolves.toEqual(offer);
  expect(received).toHaveLength(1);
});

test("without a registered provider, calls work as usual", async () => {
  trace.disable();
  onTestFinished(() => void trace.setGlobalTracerProvider(provider));
  const { client } = await createTracedClient(respondWithOffer);
  await expect(client.getOffer(id)).resolves.toEqual(offer);
  expect(getFinishedSpans()).toEqual([]);
});

test("a client that was created before the SDK is registered traces calls after the registration", async () => {
  trace.disable();
  const { client, received } = await createTracedClient(respondWithOffer);
  await client.getOffer(id);
  trace.setGlobalTracerProvider(provider);
  await client.getOffer(id);
  expect(received.map(({ headers }) => traceparent.test(String(headers.traceparent)))).toEqual([false, true]);
  expect(getFinishedSpans()).toHaveLength(1);
});

test("baggage is not sent to the service", async () => {
  const { client, received } = await createTracedClient(respondWithOffer);
  await client.getOffer(id);
  expect(received[0]?.headers).toMatchObject({ traceparent: expect.stringMatching(traceparent) });
  expect(received[0]?.headers).not.toHaveProperty("baggage");
});

test("every attempt is measured under the names from the conventions, without any data from the call", async () => {
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter });
  const meterProvider = new MeterProvider({ readers: [reader] });
  onTestFinished(() => meterProvider.shutdown());
  const { client, port } = await createTracedClient(
    (response, request, count) => (count === 1 ? respondWith(503, "") : respondWithOffer)(response, request, count),
    { meter: meterProvider.getMeter("test") },
  );
  await client.getOffer(id);
  await meterProvider.forceFlush();
  const [metric] = metricExporter.getMetrics()[0]?.scopeMetrics[0]?.metrics ?? [];
  expect(metric?.descriptor).toMatchObject({ name: "http.client.request.duration", unit: "s" });
  const common = {
    "http.request.method": "GET",
    "url.template": "/offer/{id}",
    "server.address": "127.0.0.1",
    "server.port": port,
  };
  expect(metric?.dataPoints.map(({ attributes, value }) => [attributes, (value as { count: number }).count])).toEqual([
    [{ ...common, "http.response.status_code": 503, "error.type": "503" }, 1],
    [{ ...common, "http.response.status_code": 200 }, 1],
  ]);
  expect(JSON.stringify(metric)).not.toContain("SENTINEL");
});
