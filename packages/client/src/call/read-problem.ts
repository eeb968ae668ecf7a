import { redact } from "../errors/failure.ts";
import type { Problem } from "../errors/offers-error.ts";
import { typeName } from "../errors/usage.ts";

/** The types of the standard members (RFC 9457, and `code` and `errors` of D-19). */
const memberTypes: Readonly<Record<string, string>> = {
  type: "string",
  title: "string",
  status: "number",
  detail: "string",
  instance: "string",
  code: "string",
  errors: "Object",
};

/** Parses the problem details in an error response's body; returns undefined for any other body, such as a web page or other JSON. */
export function readProblem(text: string, key: string): Problem | undefined {
  if (!/^\s*{/.test(text)) return undefined;
  let problem: Record<string, unknown>;
  try {
    // Parse and serialise the body before redacting, because escapes such as \u0061 could hide an API key.
    problem = JSON.parse(redact(JSON.stringify(JSON.parse(text)), key) as string);
  } catch {
    return undefined;
  }
  // RFC 9457, section 3.1: ignore a standard member of the wrong type.
  for (const name in memberTypes) if (typeName(problem[name]) !== memberTypes[name]) delete problem[name];
  if (!Object.values(problem.errors ?? {}).every(isStringArray)) delete problem.errors;
  return problem;
}

const isStringArray = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/**
 * Summarises a problem for a message: the title, the detail and the invalid fields with their reasons, in one line of at most 500
 * characters. Masks email addresses, and the id and the strings in the request body if they have at least three characters (D-97).
 */
export function summarise({ title, detail, errors = {} }: Problem, body: string | null, id: unknown): string {
  const reasons = Object.entries(errors).map(([field, messages]) => `${field}: ${messages}`);
  // Without full stops, because the parts are joined with semicolons.
  const parts = [title, detail, ...reasons].map((part) => part?.replace(/\.$/, "")).filter(Boolean);
  let summary = parts.join("; ");
  for (const value of collectSentStrings(body, id)) summary = summary.replaceAll(value, "[sent]");
  summary = summary
    .replace(/\S+@\S+/g, "[address]")
    // Emoji and Persian words need the invisible joiners.
    .replace(/(?:(?![\u200c\u200d])[\p{C}\s])+/gu, " ")
    .trim();
  // Not `slice`, which could cut an emoji in half.
  return /^.{0,500}/su.exec(summary)?.[0] ?? "";
}

/** Returns the sent strings that are long enough to recognise. The longest is first, so that a string is masked before its substrings. */
function collectSentStrings(body: string | null, id: unknown): string[] {
  const values = [id];
  // JSON.parse calls the function for every value in the body, however deeply nested.
  if (body !== null) JSON.parse(body, (_name, value) => void values.push(value));
  return values
    .filter((value): value is string => typeof value === "string" && value.length > 2)
    .sort((a, b) => b.length - a.length);
}
