import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Collector } from "./collector.ts";
import { findMostEventfulTrace, formatTree } from "./trace-tree.ts";

/** The URL of the module that registers OpenTelemetry. A path could contain spaces, at which Node splits NODE_OPTIONS. */
const registerUrl = new URL("register.ts", import.meta.url).href;
const tracesFile = resolve("journey-traces.json");

/** Collects the traces of the walkthrough from the platform, the integrator and the hirer. */
export class JourneyTraces {
  readonly #collector: Collector;

  private constructor(collector: Collector) {
    this.#collector = collector;
  }

  static async start(): Promise<JourneyTraces> {
    return new JourneyTraces(await Collector.start());
  }

  /** Returns the environment variables that load the OpenTelemetry SDK into a process. */
  getTracingEnvironment(serviceName: string): Record<string, string> {
    return {
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${registerUrl}`,
      OTEL_SERVICE_NAME: serviceName,
      OTEL_EXPORTER_OTLP_ENDPOINT: this.#collector.url,
    };
  }

  /** Writes the traces to a file, and prints the trace of one offer as a tree. */
  async report(): Promise<void> {
    await this.#collector.waitUntilQuiet();
    await writeFile(tracesFile, `${JSON.stringify(this.#collector.traces)}\n`);
    console.log(`\n${formatTree(findMostEventfulTrace(this.#collector.spans))}`);
    console.log(`\nAll traces, as OTLP JSON for a trace viewer: ${tracesFile}`);
  }

  close(): Promise<void> {
    return this.#collector.close();
  }
}
