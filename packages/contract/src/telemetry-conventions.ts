// OpenTelemetry's semantic conventions for HTTP: https://opentelemetry.io/docs/specs/semconv/http/

/** The recommended bucket bounds for a histogram of durations, in seconds. */
export const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

/** Returns the `http.request.method` attribute. An unknown method becomes `_OTHER`, so that callers cannot create new time series. */
export const methodAttribute = (method: string): string => (knownMethods.has(method) ? method : "_OTHER");

/**
 * Returns whether an OpenTelemetry SDK is registered. Without one, each span costs time and does nothing. The API's own tracer provider has
 * a delegate only once an SDK is registered.
 *
 * @param provider the result of `trace.getTracerProvider()`; a provider without `getDelegateTracer` is an SDK's
 */
export function isSdkRegistered(provider: object): boolean {
  const { getDelegateTracer } = provider as { getDelegateTracer?(name: string): unknown };
  return getDelegateTracer === undefined || getDelegateTracer.call(provider, "@offers") !== undefined;
}

/** Returns the attributes of the server in a full URL. @throws {TypeError} for any other string */
export function serverAttributes(url: string | { readonly href: string }): {
  readonly "server.address": string;
  readonly "server.port": number;
} {
  const { hostname, port, protocol } = new URL(String(url));
  const defaultPort = protocol === "https:" ? 443 : 80;
  return {
    // An IPv6 address without its brackets.
    "server.address": hostname.replace(/^\[(.*)]$/, "$1"),
    "server.port": Number(port) || defaultPort,
  };
}
