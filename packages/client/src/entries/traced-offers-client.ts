import { durationBuckets, isSdkRegistered, serverAttributes } from "@offers/contract/telemetry-conventions";
import {
  context,
  createContextKey,
  createNoopMeter,
  type Histogram,
  type Meter,
  metrics,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { type OffersPromise, toOffersPromise, type WithResponse } from "../call/offers-promise.ts";
import { completeOffer, createOffer, getOffer, type Operation, operations, withdrawOffer } from "../call/operations.ts";
import type { AnyOffersError, OperationError } from "../errors/error-classes.ts";
import type { Middleware, OperationName } from "../http.ts";
import type { Offer, OfferInput } from "../offer.ts";
import { OffersClient } from "../offers-client.ts";
import type { ApiKey, CallOptions, OffersClientOptions } from "../options/options.ts";
import { checkHeaderName, checkHeaderValue } from "../options/settings.ts";

/**
 * An {@link OffersClient} that records each call as a span of kind CLIENT, named after the operation (`GetOffer`) and a child of the active
 * span. The span starts before the first attempt and ends after the last. Its attributes follow OpenTelemetry's HTTP conventions:
 * `http.request.method`, `url.template`, `server.address`, `server.port`, `http.response.status_code`, `http.request.resend_count` (when
 * there was more than one request) and, with status ERROR, `error.type`, which is the error's `code`. No attribute contains a key, an id or
 * a payload, so there is no `url.full`.
 *
 * Every attempt sends the span context in the headers of the registered propagator. `fetch` runs with tracing suppressed, so that an
 * instrumented `fetch` does not add these headers again. A tracer that throws does not affect the call.
 *
 * The histogram `http.client.request.duration` records the time from the start of each attempt to the response headers, in seconds, with
 * the attributes `http.request.method`, `url.template`, `server.address`, `server.port`, `http.response.status_code` and `error.type`.
 *
 * `tracer` and `meter` default to those of the global providers. `watchOffer` creates one span per read. Until you register an SDK or pass
 * a tracer or meter, nothing is recorded, and a call costs as much as with an {@link OffersClient}.
 *
 * @example
 * ```ts
 * import { TracedOffersClient } from "@offers/client/opentelemetry";
 *
 * const offers = new TracedOffersClient({
 *   baseUrl: "https://service.example",
 *   apiKey: process.env.OFFERS_API_KEY ?? "",
 * });
 * console.log((await offers.getOffer("offer_4f1c2a")).title);
 * ```
 */
export class TracedOffersClient extends OffersClient {
  readonly #options: TracedOptions;
  readonly #instruments: Instruments;

  /**
   * Checks the options and creates the client, without sending a request.
   *
   * @throws {UsageError} for an invalid option; the message says what to change
   */
  constructor(options: TracedOptions) {
    const instruments = createInstruments(options);
    super(instruments.options);
    this.#options = { ...options };
    this.#instruments = instruments;
  }

  /** Returns a client's instruments; undefined in a method that is called without its client, which then throws. */
  static #instrumentsOf(client: TracedOffersClient): Instruments | undefined {
    return #instruments in Object(client) ? client.#instruments : undefined;
  }

  override createOffer(
    input: OfferInput,
    options?: CallOptions,
  ): OffersPromise<
    {
      /** The new offer's id. */
      id: string;
    },
    OperationError<"CreateOffer">
  > {
    return traceCall(createOffer, TracedOffersClient.#instrumentsOf(this), options, (callOptions) =>
      super.createOffer(input, callOptions),
    );
  }

  override getOffer(id: string, options?: CallOptions): OffersPromise<Offer, OperationError<"GetOffer">> {
    return traceCall(getOffer, TracedOffersClient.#instrumentsOf(this), options, (callOptions) =>
      super.getOffer(id, callOptions),
    );
  }

  override completeOffer(
    id: string,
    workerIds: readonly string[],
    options?: CallOptions,
  ): OffersPromise<void, OperationError<"CompleteOffer">> {
    return traceCall(completeOffer, TracedOffersClient.#instrumentsOf(this), options, (callOptions) =>
      super.completeOffer(id, workerIds, callOptions),
    );
  }

  override withdrawOffer(id: string, options?: CallOptions): OffersPromise<void, OperationError<"WithdrawOffer">> {
    return traceCall(withdrawOffer, TracedOffersClient.#instrumentsOf(this), options, (callOptions) =>
      super.withdrawOffer(id, callOptions),
    );
  }

  override withApiKey(apiKey: ApiKey): TracedOffersClient {
    return new (this.constructor as typeof TracedOffersClient)({ ...this.#options, apiKey });
  }
}

/** @inline */
type TracedOptions = OffersClientOptions & {
  /** Creates the spans. @default the global provider's tracer for `@offers/client` */
  tracer?: Tracer | undefined;
  /** Creates the histogram. @default the global provider's meter for `@offers/client` */
  meter?: Meter | undefined;
};

const scope = "@offers/client";

interface Recording {
  readonly tracer: Tracer;
  readonly server: ReturnType<typeof serverAttributes>;
}

interface Instruments {
  /** The client options. Once recording has started, their middleware measures every attempt and suppresses tracing in `fetch`. */
  readonly options: OffersClientOptions;
  /** Starts recording, unless it has started already. Returns undefined while there is no SDK, tracer or meter to record with. */
  startRecording(): Recording | undefined;
}

/** Creates the tracing and metrics instruments. Does not check the options, because the client rejects invalid ones. */
function createInstruments(options: TracedOptions): Instruments {
  if (typeof options !== "object") return { options, startRecording: () => undefined };
  const { tracer = trace.getTracer(scope), meter = metrics.getMeter(scope), ...clientOptions } = options;
  const duration = createDurationHistogram(meter);
  const userMiddleware = clientOptions.middleware ?? [];
  // A copy, because `startRecording` adds to it.
  const middleware = Array.isArray(userMiddleware) ? [...userMiddleware] : userMiddleware;
  // Every no-op meter returns the same histogram, so any other histogram belongs to a real meter.
  const hasTracerOrMeter = options.tracer !== undefined || duration !== createDurationHistogram(createNoopMeter());
  let recording: Recording | undefined;
  return {
    options: { ...clientOptions, middleware },
    startRecording() {
      if (recording) return recording;
      if (!hasTracerOrMeter && !isSdkRegistered(trace.getTracerProvider())) return undefined;
      const server = serverAttributes(clientOptions.baseUrl);
      (middleware as Middleware[]).push(createDurationRecorder(duration, server), suppressTracing);
      recording = { tracer, server };
      return recording;
    },
  };
}

const createDurationHistogram = (meter: Meter): Histogram =>
  meter.createHistogram("http.client.request.duration", {
    description: "Duration of HTTP client requests.",
    unit: "s",
    advice: { explicitBucketBoundaries: durationBuckets },
  });

const urlTemplates = new Map(operations.map(({ name, path }) => [name, path]));

/** Creates middleware that records how long an attempt took. */
const createDurationRecorder =
  (duration: Histogram, server: Recording["server"]): Middleware =>
  async (request, next) => {
    const startedAt = performance.now();
    const record = (outcome: Readonly<Record<string, string | number>>) => {
      try {
        const attributes = {
          "http.request.method": request.method,
          "url.template": urlTemplates.get(request.operation),
          ...server,
          ...outcome,
        };
        duration.record((performance.now() - startedAt) / 1_000, attributes);
      } catch {
        // A meter that throws does not affect the call (D-67).
      }
    };
    try {
      const response = await next(request);
      const { status } = response;
      record({ "http.response.status_code": status, ...(status >= 400 && { "error.type": `${status}` }) });
      return response;
    } catch (error) {
      record({ "error.type": (error as AnyOffersError).code });
      throw error;
    }
  };

/** Sets the headers from a propagator. Drops baggage. Also drops invalid headers, because the client would reject the call. */
const headerSetter = {
  set(headers: Record<string, string>, name: string, value: string): void {
    // Baggage may contain any of the caller's data, and the service belongs to a different organisation.
    if (name.toLowerCase() === "baggage") return;
    try {
      headers[checkHeaderName(name, name)] = checkHeaderValue(name, value);
    } catch {
      // An invalid header, such as an empty tracestate.
    }
  },
};

/** Performs a call. If recording has started, the call has a span, which ends before the call's promise settles. */
function traceCall<Name extends OperationName, Data>(
  { name, method, path }: Operation<never, Data, Name>,
  instruments: Instruments | undefined,
  options: CallOptions | undefined,
  perform: (callOptions: CallOptions | undefined) => OffersPromise<Data, OperationError<Name>>,
): OffersPromise<Data, OperationError<Name>> {
  const recording = instruments?.startRecording();
  if (!recording) return perform(options);
  const { tracer, server } = recording;
  const headers = { ...options?.headers };
  let activeContext = context.active();
  let span: Span | undefined;
  try {
    const attributes = { "http.request.method": method, "url.template": path, ...server };
    span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, activeContext);
    activeContext = trace.setSpan(activeContext, span);
    propagation.inject(activeContext, headers, headerSetter);
  } catch {
    // A tracer that throws does not affect the call.
  }
  const call = context.with(activeContext, () => perform({ ...options, headers }).withResponse());
  let result: WithResponse<Data>;
  const data = call.then(
    (success) => {
      result = success;
      endSpan(span, success.attempts, success.response.status);
      return success.data;
    },
    (error: AnyOffersError) => {
      endSpan(span, error.attempts, error.status, error);
      throw error;
    },
  );
  return toOffersPromise(data, () => result);
}

/** Adds the outcome of a call to its span and ends the span. */
function endSpan(span: Span | undefined, attempts: number, status: number | undefined, error?: AnyOffersError): void {
  try {
    if (attempts > 1) span?.setAttribute("http.request.resend_count", attempts - 1);
    if (status) span?.setAttribute("http.response.status_code", status);
    if (error) span?.setAttribute("error.type", error.code).setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  } catch {
    // A span that throws does not affect the call.
  }
}

/** The context key that OpenTelemetry's exporters use. Context keys with the same description are equal. */
const suppressTracingKey = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Prevents an instrumented `fetch` from adding a second `traceparent`, which would invalidate both. */
const suppressTracing: Middleware = (request, next) =>
  context.with(context.active().setValue(suppressTracingKey, true), () => next(request));
