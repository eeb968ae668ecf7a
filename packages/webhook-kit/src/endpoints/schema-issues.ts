import { contactSuggestionSchema, emailAddressSchema } from "@offers/contract/schemas";
import * as z from "zod";

type Issue = z.core.$ZodIssue;

/**
 * From a field's name (`userEmailAddresses[0]`) to what is wrong with it. In words of our own, so that no release of zod can
 * put a value of the request into them (D-49).
 */
export function describeIssues(issues: readonly Issue[]): Record<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const issue of issues) {
    const field = z.core.toDotPath(issue.path) || "body";
    const messages = fields.get(field) ?? [];
    const message = describe(issue);
    if (!messages.includes(message)) messages.push(message);
    fields.set(field, messages);
  }
  return Object.fromEntries(fields);
}

function describe(issue: Issue): string {
  if (issue.code === "invalid_type")
    return `Must be ${issue.expected === "int" ? "a whole number" : `of type ${issue.expected}`}.`;
  if (issue.code === "invalid_value") return `Must be one of: ${issue.values.map(String).join(", ")}.`;
  if (issue.code === "too_small") return `Too short or too small; at least ${issue.minimum}.`;
  if (issue.code === "too_big") return `Too long or too large; at most ${issue.maximum}.`;
  if (issue.code === "invalid_format") return describeFormat(issue.format, issue.pattern ?? "");
  return "Not valid.";
}

function describeFormat(format: string, pattern: string): string {
  if (format === "datetime") return "Must be a date-time with its zone, such as 2099-05-01T16:00:00Z.";
  if (format === "url") return "Must be a full URL.";
  return meanings.get(pattern) ?? "Not valid.";
}

/** What the contract's patterns ask for. They are taken from its schemas, so that one that changes keeps its words. */
const meanings: ReadonlyMap<string, string> = new Map([
  ...patternsOf(emailAddressSchema, "Must be an email address."),
  ...patternsOf(contactSuggestionSchema.out.shape.profileImageUrl, "Must begin with http:// or https://."),
]);

/** A schema names its patterns when it is given what fits none of them. */
function patternsOf(schema: z.ZodType, meaning: string): [pattern: string, meaning: string][] {
  const issues = schema.safeParse("").error?.issues ?? [];
  return issues.flatMap((issue) =>
    issue.code === "invalid_format" && issue.format === "regex" && issue.pattern ? [[issue.pattern, meaning]] : [],
  );
}
