import type { Request } from "express";
import { apiVersion } from "../generated/decisions.ts";
import { ProblemError } from "../problem/problem-error.ts";

/**
 * D-27: exactly one, and that the supported one; none where it is not `required`.
 *
 * @throws {ProblemError} `unsupported_api_version`
 */
export function checkApiVersion(request: Request, required: boolean): void {
  const version = request.query["api-version"];
  if (version === apiVersion || (version === undefined && !required)) return;
  const remedy = `Give api-version=${apiVersion} exactly once.`;
  throw new ProblemError("unsupported_api_version", remedy, { errors: new Map([["api-version", [remedy]]]) });
}
