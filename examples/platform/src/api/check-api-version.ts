import type { Request } from "express";
import { ProblemError } from "../problem/problem-error.ts";

const supported = "1.0";

/**
 * D-27
 *
 * @throws {ProblemError} `unsupported_api_version`
 */
export function checkApiVersion(request: Request, { required }: { required: boolean }): void {
  const version = request.query["api-version"];
  if (version === supported || (version === undefined && !required)) return;
  const remedy = `Give api-version=${supported} exactly once.`;
  throw new ProblemError("unsupported_api_version", remedy, { errors: new Map([["api-version", [remedy]]]) });
}
