import { parseHttpDate } from "@offers/contract/http-date";
import type { FetchResponse, OperationName } from "../http.ts";
import type { DeprecationNotice } from "../options/options.ts";

/**
 * Reads an operation's deprecation and sunset dates from `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). Returns undefined if
 * the response has neither.
 */
export function readDeprecation(operation: OperationName, { headers }: FetchResponse): DeprecationNotice | undefined {
  const deprecation = headers.get("deprecation");
  const sunset = headers.get("sunset");
  if (!deprecation && !sunset) return undefined;
  // `Deprecation` is a structured field, which represents a date as @1688169599.
  const seconds = /^@(\d+)$/.exec(deprecation ?? "")?.[1];
  const sunsetMs = parseHttpDate(sunset ?? "");
  return {
    operation,
    deprecatedAt: seconds ? new Date(Number(seconds) * 1_000) : undefined,
    sunsetAt: sunsetMs ? new Date(sunsetMs) : undefined,
  };
}
