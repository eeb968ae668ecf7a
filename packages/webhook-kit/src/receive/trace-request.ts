import { methodAttribute } from "@offers/contract/telemetry-conventions";
import { formatTraceContext, readTraceContext } from "@offers/contract/trace-context";
import type { TraceContext } from "../endpoints/events.ts";
import type { Span, Tracer } from "../options/options.ts";
import type { Outcome } from "./outcome.ts";

/** The span status for a failure: `SpanStatusCode.ERROR` of OpenTelemetry. */
const spanFailed = { code: 2 };

/**
 * A request's span, the parent of the spans that its handler starts. Its name and attributes contain only route templates, numbers and
 * codes, not the path (which may contain a worker's id), a header or the body (D-49). If the tracer throws, the error is reported and the
 * response does not change.
 *
 * The span is created only when the handler starts or the request is rejected, because the sender's trace is not trusted before
 * verification.
 */
export class RequestTrace {
  readonly #tracer: Tracer;
  readonly #endpoint: { readonly name: string; readonly path: string };
  readonly #method: string;
  readonly #report: (cause: unknown) => void;
  readonly #startTime = Date.now();
  #sender: TraceContext | undefined;
  #span: Span | undefined;
  #isStarted = false;

  constructor(
    tracer: Tracer,
    endpoint: { readonly name: string; readonly path: string },
    method: string,
    report: (cause: unknown) => void,
  ) {
    this.#tracer = tracer;
    this.#endpoint = endpoint;
    this.#method = method;
    this.#report = report;
  }

  /** Reads the sender's trace context. @param rawHeaders verified headers, because otherwise anyone could choose the trace */
  readSender(rawHeaders: readonly string[]): void {
    const traceparents = findHeaderValues(rawHeaders, "traceparent");
    this.#sender = readTraceContext(traceparents, findHeaderValues(rawHeaders, "tracestate"));
  }

  /** Runs a handler within the span. @param work receives the span's position in its trace */
  runInSpan<T>(work: (trace: TraceContext | undefined) => T): T {
    if (!this.#shouldTrace()) return work(undefined);
    let result: { readonly value: T } | undefined;
    this.#startSpan((span) => {
      const spanContext = span.spanContext?.();
      result = { value: work(spanContext && formatTraceContext(spanContext)) };
    });
    // If the tracer threw before it called the handler, the handler still has to run.
    return result ? result.value : work(undefined);
  }

  /** Records the outcome and ends the span. Creates the span first if no handler ran within it. */
  end(outcome: Outcome): void {
    // A request that was rejected before its handler ran does not have a span yet.
    if (!this.#isStarted && this.#shouldTrace()) this.#startSpan(() => undefined);
    try {
      if (this.#span) endSpan(outcome, this.#span);
    } catch (cause) {
      this.#report(cause);
    }
  }

  #shouldTrace(): boolean {
    return this.#sender !== undefined || this.#tracer.isEnabled?.() !== false;
  }

  #startSpan(run: (span: Span) => void): void {
    const { name, path } = this.#endpoint;
    const attributes = {
      "http.request.method": methodAttribute(this.#method),
      "http.route": path,
      "offers.webhook.endpoint": name,
    };
    const options = { attributes, startTime: this.#startTime, ...(this.#sender && { sender: this.#sender }) };
    this.#isStarted = true;
    try {
      this.#tracer.startActiveSpan(`webhook ${name}`, options, (span) => {
        this.#span = span;
        run(span);
      });
    } catch (cause) {
      this.#report(cause);
    }
  }
}

/** Returns the values of all headers with this name. */
function findHeaderValues(rawHeaders: readonly string[], lowerCaseName: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    // Compare the lengths first, so that most names need not be converted to lower case.
    if (name?.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName)
      values.push(rawHeaders[index + 1] as string);
  }
  return values;
}

function endSpan(outcome: Outcome, span: Span): void {
  const finish = (outcomeName: "rejected" | "failed" | "dropped" | "duplicate" | "handled", errorType?: string) => {
    span.setAttribute("http.response.status_code", outcome.response.status);
    span.setAttribute("offers.webhook.outcome", outcomeName);
    if (errorType !== undefined) span.setAttribute("error.type", errorType);
    if (outcomeName === "failed") span.setStatus(spanFailed);
    span.end();
  };
  if ("rejection" in outcome) finish("rejected", outcome.rejection.code);
  else if ("error" in outcome) finish("failed", outcome.error.code);
  else if ("dropped" in outcome) finish("dropped");
  else finish(outcome.duplicate ? "duplicate" : "handled");
}
