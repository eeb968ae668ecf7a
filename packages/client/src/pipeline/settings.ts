import { UsageError } from "../errors/usage-error.ts";
import {
  apiKeyHeader,
  apiVersion,
  maxRetries,
  maxRetryAfterMs,
  timeoutMs,
  totalTimeoutMs,
} from "../generated/decisions.ts";
import type { operations } from "../generated/openapi.ts";
import type { OffersClientOptions } from "../options.ts";
import { headerName, printable } from "./printable.ts";
import { readBaseUrl } from "./url.ts";

const defaults: Record<"timeoutMs" | "totalTimeoutMs" | "maxRetries" | "maxRetryAfterMs", number> = {
  timeoutMs,
  totalTimeoutMs,
  maxRetries,
  maxRetryAfterMs,
};

/** The longest that a timer can wait; beyond it, it would fire at once. */
const longestMs = 2_147_483_647;

export type Limits = Readonly<typeof defaults>;

/** Options with every default filled in and every value checked. */
export type Settings = ReturnType<typeof readOptions>;

/** @throws {UsageError} for an option that cannot be right; nothing is corrected silently */
export function readOptions(options: OffersClientOptions) {
  const version = printable("apiVersion", options.apiVersion ?? apiVersion);
  return {
    ...options,
    ...readLimits(options, defaults),
    baseUrl: readBaseUrl(options.baseUrl),
    query: `?${"api-version" satisfies QueryName}=${encodeURIComponent(version)}`,
    apiKey: typeof options.apiKey === "function" ? options.apiKey : readApiKey(options.apiKey),
    apiKeyHeader: headerName("apiKeyHeader", options.apiKeyHeader ?? apiKeyHeader),
    userAgent: printable("userAgent", options.userAgent ?? "offers-client"),
  };
}

type QueryName = keyof operations["CompleteOffer"]["parameters"]["query"];

export const readApiKey = (key: unknown): string => printable("apiKey", key, "invalid_api_key");

/** @throws {UsageError} for a limit that is no whole number in its range, NaN included */
export function readLimits(given: { [Name in keyof Limits]?: number | undefined }, otherwise: Limits): Limits {
  const limits = { ...otherwise };
  for (const name of Object.keys(defaults) as (keyof Limits)[]) {
    const value = given[name] ?? otherwise[name];
    if (!(Number.isInteger(value) && value >= 0 && value <= longestMs))
      throw new UsageError("invalid_option", `${name} must be a whole number from 0 to ${longestMs}`);
    limits[name] = value;
  }
  return limits;
}
