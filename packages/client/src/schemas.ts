/**
 * `@offers/client/schemas`: response validation with zod.
 *
 * @module schemas
 */
export { offerSchema, validateResponses } from "./entries/validate-responses.ts";
export type { Middleware } from "./http.ts";
export type { Offer } from "./offer.ts";
