/**
 * `@offers/client/opentelemetry`: a span for each call.
 *
 * @module opentelemetry
 */
export { TracedOffersClient } from "./opentelemetry/traced-offers-client.ts";
