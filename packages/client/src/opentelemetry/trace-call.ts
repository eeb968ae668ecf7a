import { context, propagation, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { type OffersPromise, toOffersPromise } from "../client/offers-promise.ts";
import type { AnyOffersError } from "../errors/any-offers-error.ts";
import type { Operation } from "../operations/operation.ts";
import { checkHeaderName, checkHeaderValue } from "../options/check-header.ts";
import type { CallOptions } from "../options/options.ts";

/** Sets the headers of a propagator. Invalid ones are dropped: the client would reject the call for them. */
const asHeaders = {
  set(headers: Record<string, string>, name: string, value: string): void {
    try {
      headers[checkHeaderName(name, name)] = checkHeaderValue(name, value);
    } catch {
      // An empty tracestate, for instance.
    }
  },
};

/** Makes a call within a span of its own, which ends before the call's promise settles. */
export function traceCall<Data>(
  { name, method, path }: Operation<never, Data>,
  tracer: Tracer,
  server: Readonly<Record<string, string | number>>,
  call: CallOptions | undefined,
  perform: (call: CallOptions) => OffersPromise<Data>,
): OffersPromise<Data> {
  const headers = { ...call?.headers };
  let active = context.active();
  let span: Span | undefined;
  try {
    const attributes = { "http.request.method": method, "url.template": path, ...server };
    span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, active);
    active = trace.setSpan(active, span);
    propagation.inject(active, headers, asHeaders);
  } catch {
    // A tracer that throws does not affect the call.
  }
  const finish = (attempts: number, status: number | undefined, error?: AnyOffersError) => {
    try {
      if (attempts > 1) span?.setAttribute("http.request.resend_count", attempts - 1);
      if (status) span?.setAttribute("http.response.status_code", status);
      if (error) span?.setAttribute("error.type", error.code).setStatus({ code: SpanStatusCode.ERROR });
      span?.end();
    } catch {
      // As above.
    }
  };
  const exchange = context.with(active, () => perform({ ...call, headers }).withResponse());
  return toOffersPromise(
    exchange.then(
      (result) => {
        finish(result.attempts, result.response.status);
        return result;
      },
      (error: AnyOffersError) => {
        finish(error.attempts, error.status, error);
        throw error;
      },
    ),
  );
}
