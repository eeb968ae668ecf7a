import { z } from "zod";
import type { OutboundResponse } from "../dispatch/outbound/outbound.ts";
import { nullAsAbsent } from "../generated/received-values.ts";
import { contactSuggestionSchema, ratingSchema } from "../generated/schemas.ts";
import { fieldErrors } from "../http/field-errors.ts";
import { lineField } from "../http/text-field.ts";

const dateOnly = /^\d{4}-\d{2}-\d{2}$/;

/** D-28: a `lastWorked` without a time is midnight UTC. */
const lastWorked = z.preprocess(
  (value) => (typeof value === "string" && dateOnly.test(value) ? `${value}T00:00:00Z` : value),
  ratingSchema.shape.lastWorked,
);

const suggestionsSchema = z.array(
  nullAsAbsent(
    contactSuggestionSchema.out.extend({
      // A suggested person can be invited, so the name must fit a mail.
      name: lineField,
      ratings: z.array(ratingSchema.extend({ lastWorked })),
    }),
  ),
);

export type Suggestions = z.infer<typeof suggestionsSchema>;

export interface InvalidSuggestions {
  code: "unexpected_status" | "response_too_large" | "malformed_json" | "invalid_suggestions";
  message: string;
}

/** Validates a response: all of its suggestions, or none with the reason (D-21). */
export function checkSuggestions({ status, body, truncated }: OutboundResponse): Suggestions | InvalidSuggestions {
  if (status !== 200) return { code: "unexpected_status", message: `It responded with ${status} instead of 200.` };
  if (truncated) return { code: "response_too_large", message: "The response is larger than 1 MiB." };
  const value = parse(body);
  if (value === undefined)
    return { code: "malformed_json", message: "The response is not JSON, or nested too deeply." };
  const parsed = suggestionsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  // Field names only: values are personal data.
  const fields = [...fieldErrors(parsed.error.issues, value).keys()].join(", ");
  return {
    code: "invalid_suggestions",
    message: `The response is not a valid list of suggestions; invalid fields: ${fields}.`,
  };
}

function parse(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    // Throws for nesting so deep that the value could not be sent on.
    JSON.stringify(value);
    return value;
  } catch {
    return undefined;
  }
}
