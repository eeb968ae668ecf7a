// Loaded before a program by `node --import`: the programs themselves use only OpenTelemetry's API, and no SDK.
import { startTracing } from "./start-tracing.ts";

const { OTEL_SERVICE_NAME: service = "", OTEL_EXPORTER_OTLP_ENDPOINT: collector = "" } = process.env;
startTracing({ service, collector });
