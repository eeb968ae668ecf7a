// Loaded before each program of the test: OpenTelemetry's SDK, and a record of each span that starts, which survives a SIGKILL.
import { appendFileSync } from "node:fs";
import type { SpanProcessor } from "@opentelemetry/sdk-trace";
import { startTracing } from "../../examples/journey/src/tracing/start-tracing.ts";
import type { StartedSpan, TraceSettings } from "./traced-system.ts";

const settings = JSON.parse(process.env.TRACE_SETTINGS ?? "") as TraceSettings;
const { service, collector, startsFile, instrumentation } = settings;

const nothing = async (): Promise<void> => undefined;
const noteStarts: SpanProcessor = {
  onStart(span) {
    const { traceId, spanId } = span.spanContext();
    const started: StartedSpan = { traceId, spanId, name: span.name, pid: process.pid };
    appendFileSync(startsFile, `${JSON.stringify(started)}\n`);
  },
  onEnd: () => undefined,
  forceFlush: nothing,
  shutdown: nothing,
};
startTracing({ service, collector, spanProcessors: [noteStarts] });

if (instrumentation !== "none") {
  const { HttpInstrumentation } = await import("@opentelemetry/instrumentation-http");
  const { propagation } = await import("@opentelemetry/api");
  // Requests of the exporter do not belong to the receiver.
  new HttpInstrumentation({ disableOutgoingRequestInstrumentation: true }).enable();
  // Like a public server that trusts no trace from the internet.
  if (instrumentation === "own trace") propagation.disable();
  // An instrumentation patches a module when CommonJS loads it.
  process.getBuiltinModule("node:module").createRequire(import.meta.url)("node:http");
}
