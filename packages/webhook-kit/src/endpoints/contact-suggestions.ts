import { maxSuggestionsBytes } from "@offers/contract/decisions";
import { isDate } from "@offers/contract/foreign-objects";
import { HandlerError } from "../errors/errors.ts";
import { inputSchemas, responseSchemas } from "../generated/payload-schemas.ts";
import { jsonResponse } from "../http/response.ts";
import type { HandledEndpoint } from "./endpoint.ts";
import type { ContactSuggestionRequest } from "./events.ts";
import { describeIssues, validate } from "./json-schema.ts";

export const contactSuggestions: HandledEndpoint<"/contact-suggestions", ContactSuggestionRequest> = {
  kind: "request",
  isOptional: false,
  name: "ContactSuggestions",
  method: "POST",
  path: "/contact-suggestions",
  schema: inputSchemas["/contact-suggestions"],
  handler: "suggestContacts",
  respond: (suggestions) => jsonResponse(serialiseSuggestions(suggestions)),
};

/**
 * Serialises the list. Rejects an invalid list, because the service rejects the entire list if one entry is invalid (D-21).
 *
 * @throws {HandlerError} `invalid_handler_result`; for invalid fields, with their names but not their values
 */
function serialiseSuggestions(suggestions: unknown): string {
  const { data, issues } = validate(responseSchemas["/contact-suggestions"], withFormattedDates(suggestions));
  if (issues.length > 0) {
    const fields = describeIssues(issues);
    throw createResultError(`an invalid list. ${describeFields(fields)}`, { fields });
  }
  const json = toJson(data);
  if (Buffer.byteLength(json) > maxSuggestionsBytes)
    throw createResultError(`more than ${maxSuggestionsBytes} bytes of JSON; return fewer suggestions.`);
  return json;
}

const createResultError = (
  description: string,
  options?: ConstructorParameters<typeof HandlerError>[2],
): HandlerError => new HandlerError("invalid_handler_result", `suggestContacts returned ${description}`, options);

/** The maximum number of fields in a message. A list can have thousands of invalid entries. */
const maxListedFields = 5;

function describeFields(fields: Readonly<Record<string, readonly string[]>>): string {
  const descriptions = Object.entries(fields).map(([name, messages]) => `${name}: ${messages.join(" ")}`);
  const omittedCount = descriptions.length - maxListedFields;
  const suffix = omittedCount > 0 ? ` And ${omittedCount} more.` : "";
  return `${descriptions.slice(0, maxListedFields).join(" ")}${suffix}`;
}

function toJson(suggestions: unknown): string {
  try {
    return JSON.stringify(suggestions);
  } catch (cause) {
    throw createResultError("a list that JSON.stringify rejects; see this error's cause.", { cause });
  }
}

function withFormattedDates(suggestions: unknown): unknown {
  return mapIfList(suggestions, (suggestion) =>
    mapField(suggestion, "ratings", (ratings) =>
      mapIfList(ratings, (rating) => mapField(rating, "lastWorked", formatLastWorked)),
    ),
  );
}

/**
 * Formats a Date as ISO 8601, and a date without a time as midnight UTC (D-28). An invalid Date becomes undefined. The schema checks all
 * other values.
 */
function formatLastWorked(value: unknown): unknown {
  if (isDate(value)) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value;
}

const mapIfList = (value: unknown, change: (entry: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(change) : value;

const mapField = (value: unknown, field: string, change: (entry: unknown) => unknown): unknown =>
  typeof value === "object" && value !== null && field in value
    ? { ...value, [field]: change((value as Record<string, unknown>)[field]) }
    : value;
