/**
 * `@offers/client/openapi-fetch`: a typed low-level face over the same transport.
 *
 * @module openapi-fetch
 */
export {};
