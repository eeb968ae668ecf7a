/**
 * `@offers/webhook-kit/opentelemetry`: the trace of an offer goes on into your handlers, and into a queue's worker.
 *
 * @module opentelemetry
 */
export { traceEvent, webhookTracer } from "./telemetry/webhook-tracer.ts";
