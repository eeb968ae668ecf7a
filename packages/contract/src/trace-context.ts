/** A place in a trace, in the format of W3C Trace Context. */
export interface TraceContext {
  /** Version 00: `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Later versions may add fields after the flags; `ff` is not a version (W3C Trace Context, section 3.2.2). */
const traceparentPattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Two flags are known: sampled, and random trace id (level 2). The others are sent as 0. */
const knownFlags = 0b11;

/**
 * Reads the headers `traceparent` and `tracestate` according to the specification: an invalid or repeated traceparent is ignored, and so is
 * an invalid tracestate; neither is an error.
 *
 * @param tracestates the values of all headers of that name, in order
 */
export function readTraceContext(
  traceparents: readonly string[],
  tracestates: readonly string[] = [],
): TraceContext | undefined {
  const [version, traceId, spanId, flags, more] =
    traceparents.length === 1 ? (traceparentPattern.exec(traceparents[0] as string)?.slice(1) ?? []) : [];
  if (flags === undefined || (version === "00" && more !== undefined)) return undefined;
  const traceparent = `00-${traceId}-${spanId}-0${Number.parseInt(flags, 16) & knownFlags}`;
  const tracestate = readTracestate(tracestates);
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** Section 3.3.1.3 of the specification: a key of one vendor, or of a tenant of one, and a value without `,` and `=`. */
const member =
  /^(?:[a-z][a-z\d_*/-]{0,255}|[a-z\d][a-z\d_*/-]{0,240}@[a-z][a-z\d_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** At most 32 members. With more than 512 characters it may be dropped (section 3.3.1.5), and is. */
function readTracestate(headers: readonly string[]): string | undefined {
  const members = headers
    .join(",")
    .split(",")
    .map((text) => text.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter(Boolean);
  const keys = new Set(members.map((text) => text.slice(0, text.indexOf("="))));
  const isValid = members.length <= 32 && keys.size === members.length && members.every((text) => member.test(text));
  const tracestate = members.join(",");
  return isValid && tracestate !== "" && tracestate.length <= 512 ? tracestate : undefined;
}

/** The part of OpenTelemetry's `SpanContext` that is used. */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: { serialize(): string } | undefined;
}

/** A span's place as headers. @returns undefined for an invalid place, such as that of a tracer that records nothing */
export function writeTraceContext({ traceId, spanId, traceFlags, traceState }: SpanPlace): TraceContext | undefined {
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
  const tracestate = traceState?.serialize();
  return readTraceContext([traceparent], tracestate ? [tracestate] : []);
}

/**
 * The place of a span in another process, in the form that OpenTelemetry's API uses.
 *
 * @param context a valid place, as `readTraceContext` returns it
 * @param parseState `createTraceState` of OpenTelemetry's API
 */
export function remoteSpanContext<State>(
  { traceparent, tracestate }: TraceContext,
  parseState: (text: string) => State,
) {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  return {
    traceId,
    spanId,
    // The API knows only the flag `sampled`.
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: parseState(tracestate) }),
  };
}
