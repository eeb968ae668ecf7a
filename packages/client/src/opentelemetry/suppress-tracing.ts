import { context, createContextKey } from "@opentelemetry/api";
import type { Middleware } from "../http/middleware.ts";

/** The key by which OpenTelemetry's own exporters keep their requests out of the traces; it is made with `Symbol.for`. */
const suppressed = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Nobody traces the fetch beneath: its instrumentation would add a second traceparent, which makes both worthless. */
export const suppressTracing: Middleware = (request, next) =>
  context.with(context.active().setValue(suppressed, true), () => next(request));
