import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { captureConsole } from "../support/capture-console.ts";
import { createJsonHeaders, express4, quietOptions, secret, serve } from "../support/serve.ts";

captureConsole();

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
});
afterAll(() => provider.shutdown());

/** Serves a traced router. @returns a function that sends a request and returns the response status */
async function mount(options: Partial<ReceiverOptions>) {
  exporter.reset();
  const app = express4();
  app.use("/offers", webhookRouter({ ...quietOptions, secret, tracer: provider.getTracer("test"), ...options }));
  const { url } = await serve(app);
  const headers = createJsonHeaders();
  return async (path: string, body?: unknown, extraHeaders: Record<string, string> = {}) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${url}/offers${path}`, { headers: { ...headers, ...extraHeaders }, ...init });
    await response.text();
    return response.status;
  };
}

const finishedSpans = () =>
  exporter.getFinishedSpans().map(({ name, attributes, status }) => ({ name, attributes, status }));

test("each request has its own span, named after the endpoint", async () => {
  const request = await mount({ onWorkerOfferResponse: () => undefined });
  const event = { offerId: "o1", workerId: "amal", response: "accepted" };
  await request("/test");
  await request("/offer/response", event);
  await request("/offer/response", event);
  await request("/offer/response", event, { Authorization: "hmac 00" });
  const createEventSpan = (attributes: Record<string, string | number>) => ({
    name: "webhook WorkerOfferResponse",
    status: { code: 0 },
    attributes: {
      "http.request.method": "POST",
      "http.route": "/offer/response",
      "http.response.status_code": 200,
      "offers.webhook.endpoint": "WorkerOfferResponse",
      ...attributes,
    },
  });
  expect(finishedSpans()).toEqual([
    {
      name: "webhook Test",
      status: { code: 0 },
      attributes: {
        "http.request.method": "GET",
        "http.route": "/test",
        "http.response.status_code": 200,
        "offers.webhook.endpoint": "Test",
        "offers.webhook.outcome": "handled",
      },
    },
    createEventSpan({ "offers.webhook.outcome": "handled" }),
    createEventSpan({ "offers.webhook.outcome": "duplicate" }),
    createEventSpan({
      "http.response.status_code": 401,
      "offers.webhook.outcome": "rejected",
      "error.type": "malformed_authorization",
    }),
  ]);
});

test("the span records the code of a failure, but no data from it", async () => {
  const request = await mount({ onWorkerAddedContact: () => Promise.reject(new Error("SENTINEL in a handler")) });
  expect(await request("/contact/new/SENTINEL")).toBe(500);
  const [span] = exporter.getFinishedSpans();
  expect(span?.status).toEqual({ code: 2 });
  expect(span?.attributes).toMatchObject({ "offers.webhook.outcome": "failed", "error.type": "handler_failed" });
  expect(span?.events).toEqual([]);
  expect(JSON.stringify([span?.name, span?.attributes, span?.status])).not.toContain("SENTINEL");
});

test("spans that a handler starts are children of the request span", async () => {
  const request = await mount({
    async onWorkerAddedContact() {
      await Promise.resolve();
      provider.getTracer("handler").startSpan("save").end();
    },
  });
  await request("/contact/new/amal");
  const [child, parent] = exporter.getFinishedSpans();
  expect([child?.name, parent?.name]).toEqual(["save", "webhook WorkerAddedContact"]);
  expect(child?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
});

test("a request to an unknown path does not have a span", async () => {
  const request = await mount({});
  expect(await request("/elsewhere")).toBe(404);
  expect(finishedSpans()).toEqual([]);
});

test.each<[string, NonNullable<ReceiverOptions["tracer"]>]>([
  [
    "before the request",
    {
      startActiveSpan: () => {
        throw new Error("tracer");
      },
    },
  ],
  [
    "after the request",
    {
      startActiveSpan: (_, __, run) => {
        const throwError = () => {
          throw new Error("tracer");
        };
        return run({ setAttribute: throwError, setStatus: throwError, end: throwError });
      },
    },
  ],
])("a tracer that throws %s does not change the response or repeat the handler", async (_, tracer) => {
  const onWorkerAddedContact = vi.fn();
  const request = await mount({ tracer, onWorkerAddedContact });
  expect(await request("/contact/new/amal")).toBe(200);
  expect(onWorkerAddedContact).toHaveBeenCalledTimes(1);
});

test("OpenTelemetry's own tracer works even when no SDK is registered", async () => {
  const request = await mount({ tracer: trace.getTracer("unregistered") });
  expect(await request("/test/auth")).toBe(200);
});
