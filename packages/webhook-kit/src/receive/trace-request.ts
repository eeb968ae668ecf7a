import type { Span, Tracer } from "../options/options.ts";
import type { Outcome } from "./outcome.ts";

/** `SpanStatusCode.ERROR` */
const spanFailed = { code: 2 };

/** A method that is none of these is written `_OTHER`, as OpenTelemetry's conventions ask. */
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

/**
 * Runs a request within a span, the parent of those that its handler starts. Its name and attributes hold route templates,
 * numbers and codes: neither the path, which may name a worker, nor a header, nor a body (D-49). A tracer that throws changes
 * no response, and is reported.
 */
export async function traceRequest(
  tracer: Tracer,
  { name, path }: { readonly name: string; readonly path: string },
  method: string,
  run: () => Promise<Outcome>,
  reportFailure: (cause: unknown) => void,
): Promise<Outcome> {
  const attributes = {
    "http.request.method": knownMethods.has(method) ? method : "_OTHER",
    "http.route": path,
    "offers.webhook.endpoint": name,
  };
  let outcome: Promise<Outcome> | undefined;
  try {
    await tracer.startActiveSpan(`webhook ${name}`, { attributes }, async (span) => {
      outcome = run();
      describe(await outcome, span);
    });
  } catch (cause) {
    reportFailure(cause);
  }
  return outcome ?? run();
}

function describe(outcome: Outcome, span: Span): void {
  const finish = (label: "rejected" | "failed" | "duplicate" | "handled", errorType?: string) => {
    span.setAttribute("http.response.status_code", outcome.response.status);
    span.setAttribute("offers.webhook.outcome", label);
    if (errorType !== undefined) span.setAttribute("error.type", errorType);
    if (label === "failed") span.setStatus(spanFailed);
    span.end();
  };
  if ("rejection" in outcome) finish("rejected", outcome.rejection.reason);
  else if ("error" in outcome) finish("failed", outcome.error.code);
  else finish(outcome.duplicate ? "duplicate" : "handled");
}
