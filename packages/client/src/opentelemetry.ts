/**
 * `@offers/client/opentelemetry`: a span for each call.
 *
 * @module opentelemetry
 */
export {};
