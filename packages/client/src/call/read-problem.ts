import { redact } from "../errors/failure.ts";
import type { Problem } from "../errors/offers-error.ts";

/** The problem details in the body of an error response; undefined for any other body: empty, a web page, other JSON. */
export function readProblem(text: string, key: string): Problem | undefined {
  if (!/^\s*{/.test(text)) return undefined;
  let problem: Record<string, unknown>;
  try {
    // Parsed and serialised first: escapes such as \u0061 could hide a key.
    problem = JSON.parse(redact(JSON.stringify(JSON.parse(text)), key));
  } catch {
    return undefined;
  }
  // RFC 9457, 3.1: a standard member of another type is ignored.
  for (const name of ["type", "title", "detail", "instance", "code"]) if (!isText(problem[name])) delete problem[name];
  if (typeof problem.status !== "number") delete problem.status;
  const { errors } = problem;
  if (typeof errors !== "object" || !Object.values(errors ?? [0]).every(isTexts)) delete problem.errors;
  return problem;
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/**
 * What a message says of a problem: title, detail and the invalid fields with their reasons, shortened, without email addresses
 * and without what was sent (D-97).
 */
export function summarise(
  { title = "", detail = "", errors = {} }: Problem,
  body: string | null,
  id: unknown,
): string[] {
  const sent = textsOf(body, id);
  const fields = Object.entries(errors).map(([field, reasons]) => quote(hide(sent, `${field}: ${reasons}`), 100));
  // The fields follow, so the detail need not point to them.
  const ownDetail = fields[0] ? detail.replace(/; see errors\.$/, "") : detail;
  return [quote(title, 100), quote(hide(sent, ownDetail), 300), ...fields.slice(0, 10), fields[10] ? "…" : ""];
}

/** Shortens text from the service for a message: one line, at most `most` characters, no email address. */
export function quote(text: string, most: number): string {
  const plain = text
    .replace(/[^\s@"'<>]+@[^\s@"'<>]+/g, "[address]")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  return plain.length > most ? `${plain.slice(0, most).trim()}…` : plain;
}

/** Replaces what was sent, the longest value first: one may be part of another. */
export const hide = (sent: readonly string[], text: string): string =>
  [...sent]
    .sort((one, other) => other.length - one.length)
    .reduce((hidden, value) => hidden.replaceAll(value, "[sent]"), text);

/** Every string of more than two characters in a JSON body, and the id of the path. */
export function textsOf(body: string | null, id: unknown): string[] {
  const texts: string[] = [];
  const collect = (_name: string, value: unknown) => {
    if (typeof value === "string" && value.length > 2) texts.push(value);
    return value;
  };
  collect("", id);
  JSON.parse(body ?? "null", collect);
  return texts;
}
