import type * as z from "zod";
import type { Offer } from "../contract/offer.ts";
import * as generated from "../generated/schemas.ts";

/**
 * An offer as the contract describes it: unknown fields are kept, and `response` and `confirmation` may be any string. Use it
 * for offers from a queue or a cache; {@link validateResponses} validates those that the client reads.
 *
 * @example
 * ```ts
 * import type { Offer } from "@offers/client";
 * import { offerSchema } from "@offers/client/schemas";
 *
 * export const fromCache = (text: string): Offer => offerSchema.parse(JSON.parse(text));
 * ```
 */
export const offerSchema: z.ZodType<Offer> = generated.offerSchema;
