import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean };
type Attributes = readonly { key: string; value: Value }[];

/** A span in OTLP's JSON encoding, with ids in hexadecimal and times in nanoseconds. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attributes;
  links?: readonly { traceId: string; spanId: string }[];
  /** The code 2 means an error. */
  status?: { code?: number };
}

/** An `ExportTraceServiceRequest`, which trace viewers can open as a file: https://opentelemetry.io/docs/specs/otlp/ */
export interface OtlpTraces {
  resourceSpans: readonly {
    resource: { attributes: Attributes };
    scopeSpans: readonly { scope: { name: string }; spans: readonly OtlpSpan[] }[];
  }[];
}

/** A span with the service that created it. */
export interface CollectedSpan extends OtlpSpan {
  service: string;
  pid: number;
}

export const getAttribute = (attributes: Attributes, key: string): string | undefined => {
  const value = attributes.find((attribute) => attribute.key === key)?.value;
  // A value has exactly one field, such as `stringValue`.
  const [text] = Object.values(value ?? {});
  return text === undefined ? undefined : String(text);
};

/** Returns the spans, oldest first. */
export const toSpans = ({ resourceSpans }: OtlpTraces): CollectedSpan[] =>
  resourceSpans
    .flatMap(({ resource: { attributes }, scopeSpans }) => {
      const service = getAttribute(attributes, "service.name") ?? "";
      const pid = Number(getAttribute(attributes, "process.pid"));
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service, pid })));
    })
    .sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));

/** An in-memory collector that receives spans on loopback over OTLP/HTTP, like an OpenTelemetry Collector. */
export class Collector {
  readonly #resourceSpans: OtlpTraces["resourceSpans"][number][] = [];
  readonly #server = createServer((request, response) => {
    json(request).then(
      (traces) => {
        this.#resourceSpans.push(...(traces as OtlpTraces).resourceSpans);
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      },
      // The body is incomplete, because its sender was killed.
      () => response.destroy(),
    );
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, "127.0.0.1");
    await once(collector.#server, "listening");
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get traces(): OtlpTraces {
    return { resourceSpans: this.#resourceSpans };
  }

  get spans(): CollectedSpan[] {
    return toSpans(this.traces);
  }

  /** Resolves when no span has arrived for half a second. */
  async waitUntilQuiet(): Promise<void> {
    let previousCount: number;
    do {
      previousCount = this.#resourceSpans.length;
      await sleep(500);
    } while (this.#resourceSpans.length !== previousCount);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
