import { z } from "zod";
import { textProblem } from "./text-problem.ts";
import { isVisible } from "./visible-text.ts";

/** A non-empty string that PostgreSQL can store. */
export const textField = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => textProblem(text) === undefined, { error: ({ input }) => textProblem(String(input)) });

/** A visible single-line text for mails and headers, without characters that change the text beside it (D-89). */
export const lineField = textField
  .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), "Remove the line break or control character.")
  .refine(
    (text) => !/[\u202a-\u202e\u2066-\u2069]/u.test(text),
    "Remove the character that controls the direction of text.",
  )
  .refine(isVisible, "Write at least one character that can be seen.");
