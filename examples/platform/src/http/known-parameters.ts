import type { Request } from "express";
import { addFieldError } from "./field-errors.ts";
import { type FieldErrors, invalidRequest } from "./problem-error.ts";

/**
 * Rejects unknown query parameters (D-93), so that a misspelt one is not silently ignored. Pages accept them: mail programs
 * and search engines add parameters to links.
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
