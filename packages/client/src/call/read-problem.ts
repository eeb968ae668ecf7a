import { redact } from "../errors/failure.ts";
import type { Problem } from "../errors/offers-error.ts";
import { typeName } from "../errors/usage.ts";

/** The types of the standard members (RFC 9457, and `code` and `errors` of D-19). */
const standard: Readonly<Record<string, string>> = {
  type: "string",
  title: "string",
  status: "number",
  detail: "string",
  instance: "string",
  code: "string",
  errors: "Object",
};

/** The problem details in the body of an error response; undefined for any other body: empty, a web page, other JSON. */
export function readProblem(text: string, key: string): Problem | undefined {
  if (!/^\s*{/.test(text)) return undefined;
  let problem: Record<string, unknown>;
  try {
    // Parsed and serialised first: escapes such as \u0061 could hide a key.
    problem = JSON.parse(redact(JSON.stringify(JSON.parse(text)), key) as string);
  } catch {
    return undefined;
  }
  // RFC 9457, 3.1: a standard member of another type is ignored.
  for (const name in standard) if (typeName(problem[name]) !== standard[name]) delete problem[name];
  if (!Object.values(problem.errors ?? {}).every(isTexts)) delete problem.errors;
  return problem;
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === "string");

/**
 * What a message says of a problem: title, detail and the invalid fields with their reasons, in one line of at most 500
 * characters, without email addresses and without what was sent (D-97): the strings of the body and the id.
 */
export function summarise({ title, detail, errors = {} }: Problem, body: string | null, id: unknown): string {
  const reasons = Object.entries(errors).map(([field, texts]) => `${field}: ${texts}`);
  // The sentences are joined by semicolons.
  const parts = [title, detail, ...reasons].map((part) => part?.replace(/\.$/, "")).filter(Boolean);
  let summary = parts.join("; ");
  for (const value of stringsSent(body, id)) summary = summary.replaceAll(value, "[sent]");
  return summary
    .replace(/\S+@\S+/g, "[address]")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, 500);
}

/** The strings of the request that are long enough to be recognised, the longest first: one may be part of another. */
function stringsSent(body: string | null, id: unknown): string[] {
  const sent = [id];
  if (body !== null) JSON.parse(body, (_name, value) => void sent.push(value));
  return sent
    .filter((value): value is string => typeof value === "string" && value.length > 2)
    .sort((a, b) => b.length - a.length);
}
