import type { z } from "zod";
import { fieldErrors } from "../problem/field-errors.ts";
import { invalidRequest } from "../problem/problem-error.ts";

/**
 * The body as its schema describes it; past this line nobody checks it again.
 *
 * @throws {ProblemError} `invalid_request`
 */
export function parseBody<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidRequest(fieldErrors(parsed.error.issues, body));
}
