/**
 * `@offers/client/schemas`: answers checked with zod.
 *
 * @module schemas
 */
export { offerSchema } from "./schemas/offer-schema.ts";
export { validateResponses } from "./schemas/validate-responses.ts";
