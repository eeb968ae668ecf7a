import { z } from "zod";
import { textRemedy } from "./storable-text.ts";

/** A text of a JSON body of the portal or the worker's app: not empty, and one that the store can keep. */
export const textField = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => textRemedy(text) === undefined, { error: ({ input }) => textRemedy(String(input)) });
