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
  // As frameworks write a list or an object into a query.
  const nested = Object.keys(request.query).some((name) => name.startsWith("api-version["));
  if (!nested && (version === apiVersion || (version === undefined && !required))) return;
  const remedy = `Give api-version=${apiVersion} exactly once.`;
  throw new ProblemError("unsupported_api_version", remedy, { errors: new Map([["api-version", [remedy]]]) });
}
