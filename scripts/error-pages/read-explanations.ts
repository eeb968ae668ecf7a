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
    /** The operations that can fail with this code although no documented status causes it. Only for codes of the client. */
    calls: z
      .union([z.literal("all"), z.array(z.enum(["CreateOffer", "GetOffer", "CompleteOffer", "WithdrawOffer"]))])
      .optional(),
    /** Set if a gateway or a different server, rather than the client, causes the error. */
    by: z.literal("server").optional(),
    /** The `detail` of the platform's response, for the example. */
    detail: z.string().optional(),
    errors: z.record(z.string(), z.array(z.string())).optional(),
  }),
);

/** The explanation of a code in spec/errors. */
export type Explanation = z.infer<typeof explanationsSchema>[string];

/** Reads a file in spec/errors and returns its explanations by code. */
export const readExplanations = (root: string, source: ErrorSource): Record<string, Explanation> =>
  explanationsSchema.parse(parse(readFileSync(join(root, `spec/errors/${source}.yaml`), "utf8")));
