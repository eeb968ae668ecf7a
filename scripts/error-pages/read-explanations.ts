import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { ErrorSource } from "./read-codes.ts";

const explanationsSchema = z.record(
  z.string().regex(/^[a-z][a-z_]+$/),
  z.strictObject({
    meaning: z.string(),
    cause: z.string(),
    remedy: z.string(),
    /** Words that readers search for instead of the code. */
    keywords: z.array(z.string()).optional(),
    /** Markdown. */
    example: z.string().optional(),
    /** The operations whose calls can have a code that belongs to no documented status. Only for the client's codes. */
    calls: z
      .union([z.literal("all"), z.array(z.enum(["CreateOffer", "GetOffer", "CompleteOffer", "WithdrawOffer"]))])
      .optional(),
    /** The origin of an error without a documented status: a server that is not the service. @default the client */
    by: z.literal("server").optional(),
    /** The `detail` of the platform's response, for the example. */
    detail: z.string().optional(),
    errors: z.record(z.string(), z.array(z.string())).optional(),
  }),
);

/** The explanation of a code in spec/errors. */
export type Explanation = z.infer<typeof explanationsSchema>[string];

/** Reads a file in spec/errors, by code. */
export const readExplanations = (root: string, source: ErrorSource): Record<string, Explanation> =>
  explanationsSchema.parse(parse(readFileSync(join(root, `spec/errors/${source}.yaml`), "utf8")));
