import { z } from "zod";
import { textRemedy } from "./storable-text.ts";

/** A text of a JSON body of the portal or the worker's app: not empty, and one that the store can keep. */
export const textField = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => textRemedy(text) === undefined, { error: ({ input }) => textRemedy(String(input)) });

/** One that stands in a line of a mail or a header. */
export const lineField = textField.refine(
  (text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text),
  "Remove the line break or control character.",
);
