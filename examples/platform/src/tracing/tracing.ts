import { AsyncLocalStorage } from "node:async_hooks";
import { methodAttribute } from "@offers/contract/telemetry-conventions";
import {
  formatTraceContext,
  readTraceContext,
  type TraceContext,
  toRemoteSpanContext,
} from "@offers/contract/trace-context";
import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  type Link,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { RequestHandler } from "express";

// Records spans only if an OpenTelemetry SDK is registered, for example by `node --import`.
const tracer = trace.getTracer("@offers/platform");

/** The trace context from the current request's headers, whether or not an SDK records it. */
const requestTrace = new AsyncLocalStorage<TraceContext | undefined>();

/** Starts a span for each request, in the caller's trace. Its attributes do not contain paths, ids or headers (D-49). */
export const traceRequests: RequestHandler = (request, response, next) => {
  const { headersDistinct: headers } = request;
  const callerTrace = readTraceContext(headers.traceparent ?? [], headers.tracestate);
  const activeContext = context.active();
  // If the server is instrumented, its span is already active, and it has read the headers.
  const parent =
    callerTrace && !trace.getSpan(activeContext)
      ? trace.setSpanContext(activeContext, toRemoteSpanContext(callerTrace, createTraceState))
      : activeContext;
  const method = methodAttribute(request.method);
  const span = tracer.startSpan(
    method,
    { kind: SpanKind.SERVER, attributes: { "http.request.method": method } },
    parent,
  );
  response.once("close", () => {
    const route = request.route?.path;
    if (typeof route === "string") span.updateName(`${method} ${route}`).setAttribute("http.route", route);
    span.setAttribute("http.response.status_code", response.statusCode);
    if (response.statusCode >= 500) markFailed(span, `${response.statusCode}`);
    span.end();
  });
  requestTrace.run(callerTrace, () => context.with(trace.setSpan(parent, span), next));
};

/**
 * Returns the active trace context as a string to store; null if no trace is active. Without an SDK, returns the trace context of the
 * request, because W3C Trace Context recommends that services that do not trace pass it on (https://www.w3.org/TR/trace-context/).
 */
export function activeTrace(): string | null {
  const traceContext = activeTraceContext() ?? requestTrace.getStore();
  return traceContext ? JSON.stringify(traceContext) : null;
}

function activeTraceContext(): TraceContext | undefined {
  const span = trace.getSpanContext(context.active());
  return span && formatTraceContext(span);
}

/**
 * Continues an offer's trace when a worker responds to the offer, because the request from the worker's phone does not contain this
 * trace. If the request contains a different trace, continues that one instead. The span links to the request span.
 *
 * @param storedJson the result of `activeTrace` when the offer was created
 */
export function continueOfferTrace<T>(storedJson: string | null, name: string, work: () => Promise<T>): Promise<T> {
  const offerTrace = requestTrace.getStore() ? undefined : parseStoredTrace(storedJson);
  if (!offerTrace) return work();
  const activeContext = context.active();
  const requestSpan = trace.getSpanContext(activeContext);
  const links: Link[] = requestSpan ? [{ context: requestSpan }] : [];
  const parent = trace.setSpanContext(activeContext, toRemoteSpanContext(offerTrace, createTraceState));
  return requestTrace.run(offerTrace, () => inSpan(name, { kind: SpanKind.INTERNAL, links }, parent, work));
}

/** The trace headers of an outgoing request. */
export type TraceHeaders = Partial<Readonly<Record<"traceparent" | "tracestate", string>>>;

/**
 * Runs one attempt in a separate span. Its parent is the span stored with the event or offer, even after a restart or in a different
 * process.
 *
 * @param work runs the attempt and sends these headers
 * @param toAttributes returns attributes for the result, with `error.type` for a failure
 */
export function traceAttempt<T>(
  name: string,
  storedJson: string | null,
  attributes: Attributes,
  work: (headers: TraceHeaders) => Promise<T>,
  toAttributes: (result: T) => Attributes,
): Promise<T> {
  const storedTrace = parseStoredTrace(storedJson);
  const storedSpan = storedTrace && toRemoteSpanContext(storedTrace, createTraceState);
  // Do not use the active span as the parent, because attempts run in loops that outlive all requests.
  const parent = storedSpan ? trace.setSpanContext(context.active(), storedSpan) : trace.deleteSpan(context.active());
  return inSpan(name, { kind: SpanKind.CLIENT, attributes }, parent, async (span) => {
    const result = await work(activeTraceContext() ?? storedTrace ?? {});
    const resultAttributes = toAttributes(result);
    span.setAttributes(resultAttributes);
    if (resultAttributes["error.type"] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    return result;
  });
}

/** Runs `work` in a new span, which ends when `work` ends. */
async function inSpan<T>(
  name: string,
  options: { kind: SpanKind; attributes?: Attributes; links?: Link[] },
  parent: Context,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracer.startSpan(name, options, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, span);
  } catch (error) {
    markFailed(span, error instanceof Error ? error.name : "_OTHER");
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed. Does not record the message or stack, which may contain personal data or secrets (D-49). */
const markFailed = (span: Span, type: string): Span =>
  span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });

const parseStoredTrace = (storedJson: string | null): TraceContext | undefined =>
  storedJson === null ? undefined : (JSON.parse(storedJson) as TraceContext);
