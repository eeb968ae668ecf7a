import type { Problem } from "../problem.ts";
import type { Redact } from "./redact.ts";

/** The problem details in an error's body; undefined when it holds none: empty, a web page, broken or other JSON. */
export function readProblem(text: string, redact: Redact): Problem | undefined {
  try {
    // Written again before it is searched: escapes such as \u0061 could hide a key.
    const problem: unknown = JSON.parse(redact(JSON.stringify(JSON.parse(text))));
    if (!isObject(problem)) return undefined;
    // RFC 9457, 3.1: a member of another type than the standard's is ignored.
    for (const name of ["type", "title", "detail", "instance", "code"])
      if (typeof problem[name] !== "string") delete problem[name];
    if (typeof problem.status !== "number") delete problem.status;
    if (!isObject(problem.errors) || !Object.values(problem.errors).every(isTexts)) delete problem.errors;
    return problem;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === "string");
