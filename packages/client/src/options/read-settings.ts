import { isUnannotated } from "../errors/is-unannotated.ts";
import type { OffersErrorDetails } from "../errors/offers-error.ts";
import { unannotated } from "../errors/unannotated.ts";
import { apiKeyHeader, apiVersion } from "../generated/decisions.ts";
import { checkHeaderName, checkHeaderValue } from "./check-header.ts";
import { checkClientOptions } from "./check-options.ts";
import type { OffersClientOptions } from "./options.ts";
import { readBaseUrl } from "./read-base-url.ts";
import { type Limits, limitDefaults, readLimits } from "./read-limits.ts";

/** The options of a client, checked, with the defaults. */
export interface ClientSettings {
  readonly options: OffersClientOptions;
  readonly baseUrl: string;
  /** For messages: the path of `baseUrl` may be a secret. */
  readonly host: string;
  readonly query: string;
  /** In lower case. */
  readonly keyHeader: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Limits;
}

/** @throws {UsageError} for an invalid option; nothing is corrected silently */
export function readSettings(options: OffersClientOptions): ClientSettings {
  try {
    checkClientOptions(options);
    const { apiKey } = options;
    const baseUrl = readBaseUrl(options.baseUrl);
    const text = (name: "apiVersion" | "apiKeyHeader" | "userAgent", byDefault: string) =>
      checkHeaderValue(name, options[name] === undefined ? byDefault : options[name]);
    if (typeof apiKey !== "function") checkHeaderValue("apiKey", apiKey, "invalid_api_key");
    return {
      options,
      baseUrl,
      host: new URL(baseUrl).host,
      query: `?api-version=${encodeURIComponent(text("apiVersion", apiVersion))}`,
      keyHeader: checkHeaderName("apiKeyHeader", text("apiKeyHeader", apiKeyHeader)),
      headers: { accept: "application/json", "user-agent": text("userAgent", "offers-client") },
      limits: readLimits(options, limitDefaults),
    };
  } catch (thrown) {
    // No call will add its details.
    if (isUnannotated(thrown)) delete (thrown as OffersErrorDetails)[unannotated];
    throw thrown;
  }
}
