import { z } from "zod";
import { textRemedy } from "./text-problem.ts";
import { isVisible } from "./visible-text.ts";

/** A text of a JSON body of the portal or the worker's app: not empty, and one that the store can keep. */
export const textField = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => textRemedy(text) === undefined, { error: ({ input }) => textRemedy(String(input)) });

/** One that stands in a line of a mail or a header: a name that people see, and that leaves the text beside it alone (D-89). */
export const lineField = textField
  .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), "Remove the line break or control character.")
  .refine(
    (text) => !/[\u202a-\u202e\u2066-\u2069]/u.test(text),
    "Remove the character that controls the direction of text.",
  )
  .refine(isVisible, "Write at least one character that can be seen.");
