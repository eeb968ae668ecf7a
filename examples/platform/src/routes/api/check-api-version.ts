import type { Request } from "express";
import { apiVersion } from "../../generated/decisions.ts";
import { ProblemError } from "../../http/problem-error.ts";

/**
 * Requires the supported `api-version` exactly once; it may be absent unless `required` (D-27).
 *
 * @throws {ProblemError} `unsupported_api_version`
 */
export function checkApiVersion(request: Request, required: boolean): void {
  const version = request.query["api-version"];
  // Frameworks write lists and objects as `api-version[0]`.
  const nested = Object.keys(request.query).some((name) => name.startsWith("api-version["));
  if (!nested && (version === apiVersion || (version === undefined && !required))) return;
  const remedy = `Give api-version=${apiVersion} exactly once.`;
  throw new ProblemError("unsupported_api_version", remedy, { errors: new Map([["api-version", [remedy]]]) });
}
