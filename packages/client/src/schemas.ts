/**
 * `@offers/client/schemas`: answers checked with zod.
 *
 * @module schemas
 */
export {};
