import type { z } from "zod";
import { fieldErrors } from "./field-errors.ts";
import { invalidRequest } from "./problem-error.ts";

/**
 * Parses a body with its schema; code behind it relies on the type.
 *
 * @throws {ProblemError} `invalid_request`
 */
export function parseBody<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidRequest(fieldErrors(parsed.error.issues, body));
}
