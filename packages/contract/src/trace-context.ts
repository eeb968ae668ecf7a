/** A position in a trace, in the format of W3C Trace Context. */
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
 * Reads the headers `traceparent` and `tracestate`. As the specification requires, ignores an invalid or repeated `traceparent` together
 * with its `tracestate`, and an invalid `tracestate` alone.
 *
 * @param traceparents the values of all `traceparent` headers
 * @param tracestates the values of all `tracestate` headers, in order
 */
export function readTraceContext(
  traceparents: readonly string[],
  tracestates: readonly string[] = [],
): TraceContext | undefined {
  const [version, traceId, spanId, flags, extraFields] =
    traceparents.length === 1 ? (traceparentPattern.exec(traceparents[0] as string)?.slice(1) ?? []) : [];
  if (flags === undefined || (version === "00" && extraFields !== undefined)) return undefined;
  const traceparent = `00-${traceId}-${spanId}-0${Number.parseInt(flags, 16) & knownFlags}`;
  const tracestate = readTracestate(tracestates);
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** Matches a key, which identifies a vendor or one of its tenants, and a value without `,` and `=` (section 3.3.1.3). */
const memberPattern =
  /^(?:[a-z][a-z\d_*/-]{0,255}|[a-z\d][a-z\d_*/-]{0,240}@[a-z][a-z\d_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/**
 * Joins and validates the headers. Returns undefined if the tracestate is empty, invalid, or longer than the 512 characters of section
 * 3.3.1.5.
 */
function readTracestate(headers: readonly string[]): string | undefined {
  const members = headers
    .join(",")
    .split(",")
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter(Boolean);
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf("="))));
  const isValid =
    members.length <= 32 && keys.size === members.length && members.every((member) => memberPattern.test(member));
  const tracestate = members.join(",");
  return isValid && tracestate !== "" && tracestate.length <= 512 ? tracestate : undefined;
}

/** The part of OpenTelemetry's `SpanContext` that this package uses. */
export interface SpanPosition {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: { serialize(): string } | undefined;
}

/** Formats a span's position as headers. @returns undefined for an invalid position, such as that of a span that is not recorded */
export function formatTraceContext({
  traceId,
  spanId,
  traceFlags,
  traceState,
}: SpanPosition): TraceContext | undefined {
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
  const tracestate = traceState?.serialize();
  return readTraceContext([traceparent], tracestate ? [tracestate] : []);
}

/**
 * Converts a trace context from another process to a `SpanContext` of OpenTelemetry's API.
 *
 * @param context a valid position, as `readTraceContext` returns it
 * @param parseState `createTraceState` from OpenTelemetry's API
 */
export function toRemoteSpanContext<State>(
  { traceparent, tracestate }: TraceContext,
  parseState: (text: string) => State,
) {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  return {
    traceId,
    spanId,
    // The API defines only the flag `sampled`.
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: parseState(tracestate) }),
  };
}
