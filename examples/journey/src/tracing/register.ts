// Loaded before a program with `node --import`. The programs themselves use only the OpenTelemetry API, not an SDK.
import { startTracing } from "./start-tracing.ts";

const { OTEL_SERVICE_NAME: service = "", OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl = "" } = process.env;
startTracing({ service, collectorUrl });
