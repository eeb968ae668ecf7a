import { describeIssues } from "../endpoints/schema-issues.ts";
import type { ContactSuggestion } from "../events.ts";
import { contactSuggestionsSchema } from "../generated/schemas.ts";

/** The suggestions in a response; or the problems for which the service would reject the entire list (D-21). */
export function readSuggestions(json: string): {
  readonly suggestions?: ContactSuggestion[];
  readonly problems?: Record<string, string[]>;
} {
  const result = contactSuggestionsSchema.safeParse(parse(json));
  return result.success
    ? { suggestions: result.data as ContactSuggestion[] }
    : { problems: describeIssues(result.error.issues) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
