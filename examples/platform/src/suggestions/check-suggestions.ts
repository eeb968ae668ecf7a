import { z } from "zod";
import { nullAsAbsent } from "../generated/received-values.ts";
import { contactSuggestionSchema } from "../generated/schemas.ts";
import type { OutboundAnswer } from "../outbound/outbound.ts";
import { fieldErrors } from "../problem/field-errors.ts";
import { lineField } from "../validation/text-field.ts";

/** Who is shown can be invited, under that name. */
const suggestionsSchema = z.array(nullAsAbsent(contactSuggestionSchema.out.extend({ name: lineField })));

export type Suggestions = z.infer<typeof suggestionsSchema>;

export interface InvalidAnswer {
  code: "unexpected_status" | "answer_too_large" | "not_json" | "invalid_suggestions";
  message: string;
}

const dateOnly = /^\d{4}-\d{2}-\d{2}$/;

/** The suggestions of an answer, all of them or none (D-21): half of a wrong list is worse than a clear word. */
export function checkSuggestions({ status, body, truncated }: OutboundAnswer): Suggestions | InvalidAnswer {
  if (status !== 200) return { code: "unexpected_status", message: `It answered ${status}; 200 is expected.` };
  if (truncated) return { code: "answer_too_large", message: "Its answer is larger than 1 MiB." };
  const answer = parse(body);
  if (answer === undefined) return { code: "not_json", message: "Its answer is not JSON, or nested too deep." };
  const parsed = suggestionsSchema.safeParse(withTimes(answer));
  if (parsed.success) return parsed.data;
  // The fields, never their values: they are somebody's data.
  const fields = [...fieldErrors(parsed.error.issues, answer).keys()].join(", ");
  return { code: "invalid_suggestions", message: `Its answer is not a list of suggestions; wrong are: ${fields}.` };
}

function parse(body: Buffer): unknown {
  try {
    const answer: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    // What is read need not be writable: a list in a list in a list, many thousand times.
    JSON.stringify(answer);
    return answer;
  } catch {
    return undefined;
  }
}

/** D-28: a `lastWorked` without a time is read as midnight UTC. Whatever else is wrong is left to the schema. */
function withTimes(answer: unknown): unknown {
  return mapArray(answer, (suggestion) =>
    mapField(suggestion, "ratings", (ratings) =>
      mapArray(ratings, (rating) =>
        mapField(rating, "lastWorked", (value) =>
          typeof value === "string" && dateOnly.test(value) ? `${value}T00:00:00Z` : value,
        ),
      ),
    ),
  );
}

const mapArray = (value: unknown, map: (entry: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(map) : value;

const mapField = (value: unknown, name: string, map: (field: unknown) => unknown): unknown =>
  typeof value === "object" && value !== null && name in value
    ? { ...value, [name]: map(Reflect.get(value, name)) }
    : value;
