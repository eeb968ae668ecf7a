import { describeIssues } from "../endpoints/schema-issues.ts";
import type { ContactSuggestion } from "../events.ts";
import { contactSuggestionsSchema } from "../generated/schemas.ts";

/** What the service would show of an answer; or what it would refuse it for, as a whole (D-21). */
export type ReadSuggestions =
  | { readonly suggestions: ContactSuggestion[]; readonly faults?: never }
  | { readonly suggestions?: never; readonly faults: Record<string, string[]> };

export function readSuggestions(json: string): ReadSuggestions {
  const result = contactSuggestionsSchema.safeParse(parse(json));
  return result.success
    ? { suggestions: result.data as ContactSuggestion[] }
    : { faults: describeIssues(result.error.issues) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
