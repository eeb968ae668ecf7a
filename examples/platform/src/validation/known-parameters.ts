import type { Request } from "express";
import { addFieldError } from "../problem/field-errors.ts";
import { type FieldErrors, invalidRequest } from "../problem/problem-error.ts";

/**
 * Refuses query parameters that the path does not have (D-93): a misspelt one would be ignored without a sign. Pages for
 * people ignore them, since mail programs and search engines add some of their own to links.
 *
 * @throws {ProblemError} `invalid_request`
 */
export function checkParameters(request: Request, known: readonly string[] = []): void {
  const unknown = Object.keys(request.query).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const remedy =
    known.length === 0
      ? "Remove it: this path has no query parameters."
      : `Remove it, or correct its name; this path has: ${known.join(", ")}.`;
  const errors: FieldErrors = new Map();
  for (const name of unknown) addFieldError(errors, name, remedy);
  throw invalidRequest(errors);
}
