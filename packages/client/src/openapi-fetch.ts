/**
 * `@offers/client/openapi-fetch`: openapi-fetch's typed client on this package's transport.
 *
 * @module openapi-fetch
 */
export { createOpenApiClient, type OpenApiClient } from "./entries/open-api-client.ts";
export type { AnyOffersError } from "./errors/error-classes.ts";
export type { Offer } from "./offer.ts";
export type { OffersClientOptions } from "./options/options.ts";
