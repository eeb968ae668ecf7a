import { describeIssues } from "../endpoints/schema-issues.ts";
import type { ContactSuggestion } from "../events.ts";
import { contactSuggestionsSchema } from "../generated/schemas.ts";

/** The suggestions in a response; or the problems for which the service would reject the entire list (D-21). */
export type ReadSuggestions =
  | { readonly suggestions: ContactSuggestion[]; readonly problems?: never }
  | { readonly suggestions?: never; readonly problems: Record<string, string[]> };

export function readSuggestions(json: string): ReadSuggestions {
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
