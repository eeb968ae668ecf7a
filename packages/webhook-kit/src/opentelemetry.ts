/**
 * `@offers/webhook-kit/opentelemetry`: continues an offer's trace in your handlers and your queue's workers.
 *
 * @module opentelemetry
 */
import { isError } from "@offers/contract/foreign-objects";
import { durationBuckets, isSdkRegistered } from "@offers/contract/telemetry-conventions";
import { toRemoteSpanContext } from "@offers/contract/trace-context";
import {
  type Context,
  context,
  createNoopMeter,
  createTraceState,
  type Histogram,
  type Meter,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { WebhookEvent } from "./endpoints/events.ts";
import { ConfigurationError } from "./errors/errors.ts";
import { rejectUnknownOptions } from "./errors/option-names.ts";
import type { Tracer as ReceiverTracer } from "./options/options.ts";

export type { Tracer } from "./options/options.ts";
export type { WebhookEvent };

/**
 * Creates a tracer for a receiver: each request gets a span, and its handler runs within that span. The span's parent is the active span,
 * if your server's instrumentation created one; otherwise the sender's span, so that a trace continues from `createOffer` to your handler.
 *
 * It also measures `offers.webhook.duration`, a histogram in seconds, by `offers.webhook.endpoint`, `offers.webhook.outcome` (handled,
 * duplicate, rejected, failed) and `error.type`, which is the code of a rejection or a failure.
 *
 * It does nothing until an OpenTelemetry SDK is registered.
 *
 * @param options.sender what to do with the sender's trace (default `parent`). `parent`: if no span is active, the request's span continues
 * it. `link`: the request's span only links to the sender's span, and if no span is active, it starts a new trace. `ignore`: the sender's
 * trace is not used. The trace headers are read after verification, but no scheme signs them, so an attacker who can change a request in
 * transit can choose the trace. If that matters, use `link`
 * @param options.tracer creates the spans (default the global provider's tracer)
 * @param options.meter creates the histogram (default the global provider's meter)
 * @throws {ConfigurationError} `invalid_option`
 *
 * @example
 * ```ts
 * import { webhookRouter } from "@offers/webhook-kit/express";
 * import { webhookTracer } from "@offers/webhook-kit/opentelemetry";
 *
 * webhookRouter({
 *   secret: process.env.WEBHOOK_SECRET ?? "",
 *   tracer: webhookTracer({ sender: "link" }),
 *   onWorkerOfferResponse: ({ offerId }) => console.log(offerId),
 * });
 * ```
 */
export function webhookTracer(
  options: {
    /** What to do with the sender's trace. @default "parent" */
    sender?: "parent" | "link" | "ignore" | undefined;
    /** Creates the spans. @default the global provider's tracer */
    tracer?: Tracer | undefined;
    /** Creates the histogram. @default the global provider's meter */
    meter?: Meter | undefined;
  } = {},
): ReceiverTracer {
  rejectUnknownOptions("webhookTracer", options, ["sender", "tracer", "meter"]);
  const { sender: mode = "parent", tracer = trace.getTracer(scope), meter = metrics.getMeter(scope) } = options;
  if (!["parent", "link", "ignore"].includes(mode))
    throw new ConfigurationError("invalid_option", "sender must be parent, link or ignore.");
  const duration = createDurationHistogram(meter);
  // All no-op meters share one histogram, so a different histogram records measurements.
  const isMeasured = duration !== createDurationHistogram(createNoopMeter());
  let isRecording = options.tracer !== undefined || isMeasured;
  return {
    isEnabled() {
      isRecording ||= isSdkRegistered(trace.getTracerProvider());
      return isRecording;
    },
    startActiveSpan(name, { attributes, startTime, sender }, run) {
      const active = context.active();
      const hasActiveSpan = trace.getSpan(active) !== undefined;
      const senderSpan = sender && mode !== "ignore" ? toRemoteSpanContext(sender, createTraceState) : undefined;
      // The active span is the parent if there is one, otherwise the sender's span (D-138).
      const isSenderParent = senderSpan !== undefined && mode === "parent" && !hasActiveSpan;
      const parent = isSenderParent ? trace.setSpanContext(active, senderSpan) : active;
      const links = senderSpan !== undefined && mode === "link" ? [{ context: senderSpan }] : [];
      const kind = hasActiveSpan ? SpanKind.INTERNAL : SpanKind.SERVER;
      const span = tracer.startSpan(name, { kind, attributes, startTime, links }, parent);
      const measuredSpan = withMeasurement(span, attributes, (metricAttributes) =>
        duration.record((Date.now() - startTime) / 1_000, metricAttributes),
      );
      return context.with(trace.setSpan(parent, span), () => run(measuredSpan));
    },
  };
}

const scope = "@offers/webhook-kit";

const createDurationHistogram = (meter: Meter): Histogram =>
  meter.createHistogram("offers.webhook.duration", {
    description: "The time from a webhook's arrival to its response",
    unit: "s",
    advice: { explicitBucketBoundaries: durationBuckets },
  });

/** The attributes that identify a series of measurements. Each has few distinct values. */
const measuredAttributes = ["offers.webhook.endpoint", "offers.webhook.outcome", "error.type"];

/** Wraps a span so that ending it records a measurement. */
function withMeasurement(
  span: Span,
  initialAttributes: Readonly<Record<string, string | number>>,
  record: (attributes: Record<string, string | number>) => void,
): ReturnType<typeof asReceiverSpan> {
  const attributes: Record<string, string | number> = {};
  const addAttribute = (name: string, value: string | number) => {
    if (measuredAttributes.includes(name)) attributes[name] = value;
  };
  for (const [name, value] of Object.entries(initialAttributes)) addAttribute(name, value);
  return asReceiverSpan(span, addAttribute, () => record(attributes));
}

const asReceiverSpan = (
  span: Span,
  onAttribute: (name: string, value: string | number) => void,
  onEnd: () => void,
) => ({
  setAttribute(name: string, value: string | number) {
    onAttribute(name, value);
    span.setAttribute(name, value);
  },
  setStatus: (status: { code: number }) => span.setStatus(status),
  spanContext: () => span.spanContext(),
  end() {
    onEnd();
    span.end();
  },
});

/**
 * Runs `work`, which handles an event from a queue, in a span. The span continues the trace of the webhook request, which is stored in the
 * event's `trace`. For an event without `trace`, the span is a child of the active span or starts a new trace.
 *
 * @param event the event, as `parseWebhookEvent` returns it
 * @returns what `work` returns; if `work` throws an error, the error's name is recorded on the span and the error is rethrown
 *
 * @example
 * ```ts
 * import { parseWebhookEvent, type WebhookEvent } from "@offers/webhook-kit";
 * import { traceEvent } from "@offers/webhook-kit/opentelemetry";
 *
 * declare function handle(event: WebhookEvent): Promise<void>;
 *
 * export async function onMessage(body: string): Promise<void> {
 *   const event = parseWebhookEvent(JSON.parse(body));
 *   await traceEvent(event, () => handle(event));
 * }
 * ```
 */
export async function traceEvent<T>(
  event: Pick<WebhookEvent, "type" | "trace">,
  work: () => T | Promise<T>,
  options: {
    /** Creates the span. @default the global provider's tracer */
    tracer?: Tracer | undefined;
  } = {},
): Promise<T> {
  rejectUnknownOptions("traceEvent", options, ["tracer"]);
  const { tracer = trace.getTracer(scope) } = options;
  const active: Context = context.active();
  const parent = event.trace
    ? trace.setSpanContext(active, toRemoteSpanContext(event.trace, createTraceState))
    : active;
  // OpenTelemetry's messaging conventions require the operation's name and type.
  const attributes = {
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
    "offers.webhook.endpoint": event.type,
  };
  const span = tracer.startSpan(`process ${event.type}`, { kind: SpanKind.CONSUMER, attributes }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    // Records neither the message nor the stack, because they come from the user's code and may contain anything (D-49).
    span.setAttribute("error.type", isError(error) ? error.name : "_OTHER").setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
