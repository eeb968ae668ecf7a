/**
 * `@offers/client/openapi-fetch`: openapi-fetch's typed client over the same transport.
 *
 * @module openapi-fetch
 */
export { createOpenApiClient } from "./openapi-fetch/create-open-api-client.ts";
export type { OpenApiClient } from "./openapi-fetch/open-api-client.ts";
