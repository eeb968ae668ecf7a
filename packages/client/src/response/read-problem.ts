import type { Problem } from "../contract/problem.ts";
import { redact } from "../errors/redact.ts";

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
