import type * as z from "zod";
import { rejectRequest } from "../http/rejected.ts";
import { describeIssues } from "./schema-issues.ts";

/**
 * Validates against the contract; unknown fields are kept (D-35).
 *
 * @throws {Rejected} `invalid_request`
 */
export function validateInput<Input>(schema: z.ZodType<Input>, value: unknown): Input {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw rejectRequest("invalid_request", { errors: describeIssues(result.error.issues) });
}
