import type { Request } from "express";
import { idempotencyKeySchema } from "../../generated/schemas.ts";
import { invalidRequest } from "../../http/problem-error.ts";

const header = "Idempotency-Key";

/**
 * The idempotency key of the request, with which it can be retried safely (D-40); undefined without one.
 *
 * @throws {ProblemError} `invalid_request` for a key that is empty, too long, not ASCII or given twice
 */
export function idempotencyKey(request: Request): string | undefined {
  const [key, ...more] = request.headersDistinct[header.toLowerCase()] ?? [];
  if (key === undefined) return undefined;
  if (idempotencyKeySchema.safeParse(key).success && more.length === 0) return key;
  throw invalidRequest(new Map([[header, ["Give one key of 1 to 255 printable ASCII characters, or none."]]]));
}
