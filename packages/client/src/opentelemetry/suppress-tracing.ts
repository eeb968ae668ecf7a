import { context, createContextKey } from "@opentelemetry/api";
import type { Middleware } from "../http/middleware.ts";

/** The context key that OpenTelemetry's own exporters use; it is a registered symbol. */
const suppressed = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Keeps an instrumented `fetch` from adding a second `traceparent`, which would invalidate both. */
export const suppressTracing: Middleware = (request, next) =>
  context.with(context.active().setValue(suppressed, true), () => next(request));
