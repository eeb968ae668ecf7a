/**
 * `@offers/client/opentelemetry`: a span for each call.
 *
 * @module opentelemetry
 */
export { TracedOffersClient } from "./entries/traced-offers-client.ts";
