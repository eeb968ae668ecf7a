// Loaded before each program in the test, to start OpenTelemetry's SDK.
import { startTracing } from "../../examples/journey/src/tracing/start-tracing.ts";
import type { TraceSettings } from "./traced-system.ts";

const settings = JSON.parse(process.env.TRACE_SETTINGS ?? "") as TraceSettings;
const { service, collector, instrumentation } = settings;

startTracing({ service, collectorUrl: collector });

if (instrumentation !== "none") {
  const { HttpInstrumentation } = await import("@opentelemetry/instrumentation-http");
  const { propagation } = await import("@opentelemetry/api");
  // The requests of the exporter itself must not create spans.
  new HttpInstrumentation({ disableOutgoingRequestInstrumentation: true }).enable();
  // A public server ignores trace headers from the internet.
  if (instrumentation === "own trace") propagation.disable();
  // An instrumentation patches a module when CommonJS loads it.
  process.getBuiltinModule("node:module").createRequire(import.meta.url)("node:http");
}
