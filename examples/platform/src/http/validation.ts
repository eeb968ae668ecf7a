import type { Request } from "express";
import type { z } from "zod";
import { type FieldErrors, invalidRequest, maxFields } from "./problem.ts";

/**
 * Validates a body against its schema, so that later code can rely on its type.
 *
 * @throws {ProblemError} `invalid_request`
 */
export function parseBody<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidRequest(fieldErrors(parsed.error.issues, body));
}

/**
 * Rejects unknown query parameters (D-93), so that a misspelt one is not silently ignored. Pages accept unknown parameters, because
 * email programs and search engines add parameters to links.
 *
 * @throws {ProblemError} `invalid_request`
 */
export function rejectUnknownParameters(request: Request, known: readonly string[] = []): void {
  const unknown = Object.keys(request.query).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const remedy =
    known.length === 0
      ? "Remove it: this path accepts no query parameters."
      : `Remove it, or correct its name; this path accepts: ${known.join(", ")}.`;
  const errors: FieldErrors = new Map();
  for (const name of unknown) addFieldError(errors, name, remedy);
  throw invalidRequest(errors);
}

/** The remedies for well-known fields, by field name. */
const remediesByField: Record<string, string> = {
  title: "The title must not be blank.",
  start: "Use a UTC date-time, such as 2099-05-01T16:00:00Z.",
  end: "Use a UTC date-time, such as 2099-05-01T22:00:00Z.",
  lastWorked: "Use a UTC date-time, such as 2099-05-01T16:00:00Z.",
  notifyEmailAddress: "Use one email address, such as hana@example.com.",
  emailAddress: "Use one email address, such as hana@example.com.",
  workerIds: "Choose at least one worker.",
  // The body of a completion is an array of worker ids.
  body: "Choose at least one worker.",
  profileImageUrl: "Use a full URL that starts with https:// or http://.",
};

/**
 * Maps each invalid field to its remedies. Never quotes values, because they may be personal data.
 *
 * @param input the value that was validated; distinguishes a missing field from a wrong type
 */
export function fieldErrors(issues: readonly z.core.$ZodIssue[], input: unknown): FieldErrors {
  const errors: FieldErrors = new Map();
  // A string where an array is expected also fails the length rule, so report only the type.
  const wrongTypes = new Set<string>();
  for (const issue of issues) {
    const field = fieldName(issue.path);
    if (wrongTypes.has(field)) continue;
    if (issue.code === "invalid_type") wrongTypes.add(field);
    for (const [path, remedy] of toRemedies(issue, input)) addFieldError(errors, fieldName(path), remedy);
  }
  return errors;
}

/** Adds a remedy for a field, except a duplicate. Ignores further fields once `maxFields` fields have errors. */
export function addFieldError(errors: FieldErrors, field: string, remedy: string): void {
  const fieldRemedies = errors.get(field);
  if (fieldRemedies === undefined) {
    if (errors.size < maxFields) errors.set(field, [remedy]);
  } else if (!fieldRemedies.includes(remedy)) fieldRemedies.push(remedy);
}

/** Formats a path: `["events", 0, "end"]` becomes `events[0].end`, and the whole body is `body`. */
export function fieldName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "body";
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}

function toRemedies(issue: z.core.$ZodIssue, input: unknown): [path: readonly PropertyKey[], remedy: string][] {
  const { path } = issue;
  const fieldRemedy = remediesByField[String(path.at(-1) ?? "body")];
  switch (issue.code) {
    case "invalid_type":
      if (path.length > 0 && valueAt(input, path) === undefined) return [[path, "Add this field; it is required."]];
      return [[path, `Make it ${describeType(issue.expected)}.`]];
    case "invalid_format":
      return [[path, fieldRemedy ?? "Use the documented format."]];
    case "too_small":
      return [[path, remedyForTooSmall(issue, fieldRemedy)]];
    case "too_big":
      return [[path, `Use at most ${issue.maximum}${issue.origin === "string" ? unitFor(issue.maximum) : ""}.`]];
    case "invalid_value":
      return [[path, `Use one of: ${issue.values.join(", ")}.`]];
    case "unrecognized_keys":
      return issue.keys.map((key) => [[...path, key], "Remove it, or correct its name: there is no such field."]);
    case "custom":
      return [[path, issue.message]];
    default:
      return [[path, "Correct it as documented."]];
  }
}

function remedyForTooSmall({ origin, minimum }: z.core.$ZodIssueTooSmall, fieldRemedy: string | undefined): string {
  if (origin === "array") return fieldRemedy ?? `Use at least ${minimum}.`;
  if (origin === "string")
    return minimum === 1 ? (fieldRemedy ?? "Do not leave it empty.") : `Use at least ${minimum} characters.`;
  return `Make it at least ${minimum}.`;
}

const nouns: Record<string, string> = { array: "an array", object: "an object", int: "a whole number" };

const describeType = (expected: string): string => nouns[expected] ?? `a ${expected}`;

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

const unitFor = (count: number | bigint): string => (Number(count) === 1 ? " character" : " characters");
