import { apiKeyHeader, apiVersion } from "@offers/contract/decisions";
import { findNearestName } from "@offers/contract/nearest-name";
import { findBaseUrlProblem, findHeaderValueProblem } from "@offers/contract/request-values";
import { openTransport, transportDefaults } from "#transport";
import type { UsageError } from "../errors/error-classes.ts";
import { toOffersError, unreadableArgument } from "../errors/failure.ts";
import { assertEach, assertType, throwUsageError, typeName } from "../errors/usage.ts";
import { maxResponseBytes, maxRetries, maxRetryAfterMs, timeoutMs, totalTimeoutMs } from "../generated/decisions.ts";
import type { Transport, Url } from "../http.ts";
import type { ApiKey, CallOptions, DeprecationNotice, OffersClientOptions } from "./options.ts";

function warnOfDeprecation({ operation, sunsetAt }: DeprecationNotice): void {
  console.warn(`offers: ${operation} is deprecated; sunset: ${sunsetAt?.toJSON() ?? "unknown"}`);
}

/** The client options that have a default, and the optional ones. */
type Defaults = {
  readonly [Name in Exclude<keyof OffersClientOptions, "baseUrl" | "apiKey" | "agent" | "logger">]: NonNullable<
    OffersClientOptions[Name]
  >;
} & { readonly [Name in "agent" | "logger"]: OffersClientOptions[Name] };

/**
 * Every client option with its default. A value must have the same type as its default. Numbers must be integers, and strings must be valid
 * header values. `readSettings` checks the options without a default.
 */
const clientDefaults: Defaults & Record<"baseUrl" | "apiKey", undefined> = {
  baseUrl: undefined,
  apiKey: undefined,
  apiKeyHeader,
  apiVersion,
  timeoutMs,
  totalTimeoutMs,
  maxRetries,
  maxRetryAfterMs,
  maxResponseBytes,
  serviceHonoursIdempotencyKey: false,
  ...transportDefaults,
  middleware: [],
  logger: undefined,
  onRetry: () => {},
  onDeprecation: warnOfDeprecation,
  userAgent: "offers-client",
};

/** A client's validated options, with the defaults filled in. */
export interface ClientSettings extends Defaults {
  readonly apiKey: ApiKey;
  /** The base URL without a trailing slash, so that a path can be appended. */
  readonly baseUrl: string;
  /** Shown in messages instead of `baseUrl`, whose path may be secret. */
  readonly host: string;
  readonly query: string;
  readonly transport: Transport;
  /** The settings for a call without options. */
  readonly call: CallSettings;
  /** The topics that have been reported: the name of a deprecated operation, or `shape` for an unexpected response shape (D-126). */
  readonly reported: Set<string>;
}

/** A call's validated options, with the client's as defaults. */
export interface CallSettings {
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxRetries: number;
  readonly signal: CallOptions["signal"];
  readonly idempotencyKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Validates a client's options and fills in the defaults. @throws {UsageError} for an invalid option, instead of correcting it silently */
export function readSettings(clientOptions: OffersClientOptions): ClientSettings {
  try {
    const options = readOptions(clientOptions, clientDefaults);
    const { timeoutMs, totalTimeoutMs, maxRetries, logger, middleware } = options;
    const { apiKey } = clientOptions;
    if (typeof apiKey !== "function") checkHeaderValue("apiKey", apiKey, "invalid_api_key");
    assertEach("middleware", middleware, "function");
    if (logger !== undefined)
      for (const level of ["debug", "warn"]) assertType(`logger.${level}`, Object(logger)[level], "function");
    const url = readBaseUrl(clientOptions.baseUrl);
    return {
      ...options,
      transport: openTransport(options.fetch, options.agent, throwUsageError),
      apiKey,
      baseUrl: url.href.replace(/\/+$/, ""),
      host: url.host,
      query: `?api-version=${encodeURIComponent(options.apiVersion)}`,
      apiKeyHeader: checkHeaderName("apiKeyHeader", options.apiKeyHeader),
      call: { timeoutMs, totalTimeoutMs, maxRetries, signal: undefined, idempotencyKey: undefined, headers: {} },
      reported: new Set(),
    };
  } catch (thrown) {
    throw toOffersError(thrown, {}, unreadableArgument);
  }
}

/** Returns the user's options merged with the defaults. Throws for an unknown name or an invalid value. */
export function readOptions<Options extends object>(userOptions: object, defaults: Options): Options {
  // Without this check, an AbortSignal passed as the options would be silently ignored, because it has no own properties.
  assertType("options", userOptions, "Object");
  const options = { ...defaults } as Record<string, unknown>;
  for (const [name, value] of Object.entries(userOptions)) {
    if (!Object.hasOwn(defaults, name)) throwUsageError(describeUnknownOption(name, Object.keys(defaults)));
    if (value === undefined) continue;
    const defaultValue = options[name];
    if (defaultValue !== undefined) assertType(name, value, typeName(defaultValue));
    if (typeof defaultValue === "string" || name === "idempotencyKey") checkHeaderValue(name, value);
    if (typeof defaultValue === "number") checkNumber(name, value as number);
    options[name] = value;
  }
  return options as Options;
}

function describeUnknownOption(name: string, names: readonly string[]): string {
  const nearest = findNearestName(name, names);
  return `unknown option "${name}"; ${nearest ? `did you mean ${nearest}? ` : ""}options: ${names.join(", ")}`;
}

/** The longest delay that `setTimeout` accepts. It fires immediately for a longer delay. */
export const maxTimerMs = 2_147_483_647;

function checkNumber(name: string, value: number): void {
  const min = name === "maxResponseBytes" ? 1 : 0;
  if (!Number.isInteger(value) || value < min || value > maxTimerMs)
    throwUsageError(`${name} must be an integer from ${min} to ${maxTimerMs}`);
}

/** Parses the base URL. The error message never contains it, because it may include a password. */
function readBaseUrl(baseUrl: string | Url): URL {
  const problem = findBaseUrlProblem(baseUrl);
  if (problem) throwUsageError(`baseUrl ${problem}`, "invalid_base_url");
  return new URL(baseUrl as string);
}

/** Returns a header value unchanged, or throws if it is invalid. The message never contains the value, which may be the API key. */
export function checkHeaderValue(name: string, value: unknown, code?: UsageError["code"]): string {
  const problem = findHeaderValueProblem(value);
  if (problem) throwUsageError(`${name} ${problem}`, code);
  return value as string;
}

/** Returns a header name in lower case, or throws if it is invalid. @param option the option that contains it, for the message */
export function checkHeaderName(option: string, name: string): string {
  if (!/^[\w!#-'*+.^`|~-]+$/.test(name)) throwUsageError(`invalid header name in ${option}`);
  return name.toLowerCase();
}
