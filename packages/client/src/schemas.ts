/**
 * `@offers/client/schemas`: responses validated with zod.
 *
 * @module schemas
 */
export { offerSchema } from "./schemas/offer-schema.ts";
export { validateResponses } from "./schemas/validate-responses.ts";
