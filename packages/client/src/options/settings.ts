import { apiKeyHeader, apiVersion } from "@offers/contract/decisions";
import { baseAddressProblem, headerValueProblem } from "@offers/contract/request-values";
import type { UsageError } from "../errors/error-classes.ts";
import { toOffersError, unreadableArgument } from "../errors/failure.ts";
import { assertEach, assertType, throwUsageError, typeName } from "../errors/usage.ts";
import { maxResponseBytes, maxRetries, maxRetryAfterMs, timeoutMs, totalTimeoutMs } from "../generated/decisions.ts";
import type { Fetch, Url } from "../http.ts";
import type { ApiKey, CallOptions, DeprecationNotice, Logger, OffersClientOptions } from "./options.ts";

/**
 * Looked up at every request, so that a global `fetch` that is replaced later is used. Deno sends a string body twice when a
 * kept connection breaks, even that of a POST (denoland/deno#35610); it sends a Blob once.
 */
const runtimeFetch: Fetch = (url, init) =>
  globalThis.fetch(url, init.body && "Deno" in globalThis ? { ...init, body: new Blob([init.body]) } : init);

function warnOfDeprecation({ operation, sunsetAt }: DeprecationNotice): void {
  console.warn(`offers: ${operation} is deprecated; sunset: ${sunsetAt?.toJSON() ?? "unknown"}`);
}

/** The options of a client that have a default. */
type Defaults = {
  readonly [Name in Exclude<keyof OffersClientOptions, "baseUrl" | "apiKey" | "logger">]: NonNullable<
    OffersClientOptions[Name]
  >;
} & { readonly logger: Logger | undefined };

/**
 * Every option of a client with its default. A given value must have the type of the default, a number must be whole, and a string
 * must be valid as a header. An option without a default here is checked by `readSettings`.
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
  fetch: runtimeFetch,
  middleware: [],
  logger: undefined,
  onRetry: () => {},
  onDeprecation: warnOfDeprecation,
  reuseConnections: true,
  userAgent: "offers-client",
};

/** The options of a client, checked, with the defaults. */
export interface ClientSettings extends Defaults {
  readonly apiKey: ApiKey;
  /** Without a slash at its end, so that a path can follow. */
  readonly baseUrl: string;
  /** For messages: the path of `baseUrl` may be a secret. */
  readonly host: string;
  readonly query: string;
  /** The settings of a call without options. */
  readonly call: CallSettings;
  /** What was reported once: `shape` for a response whose shape is not the contract's (D-126), an operation that is deprecated. */
  readonly reported: Set<string>;
}

/** The options of a call, checked, with those of the client as defaults. */
export interface CallSettings {
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxRetries: number;
  readonly signal: CallOptions["signal"];
  readonly idempotencyKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws {UsageError} for an invalid option; nothing is corrected silently */
export function readSettings(given: OffersClientOptions): ClientSettings {
  try {
    const options = readOptions(given, clientDefaults);
    const { timeoutMs, totalTimeoutMs, maxRetries, logger, middleware } = options;
    const { apiKey } = given;
    if (typeof apiKey !== "function") checkHeaderValue("apiKey", apiKey, "invalid_api_key");
    assertEach("middleware", middleware, "function");
    if (logger !== undefined)
      for (const level of ["debug", "warn"]) assertType(`logger.${level}`, Object(logger)[level], "function");
    const url = readBaseUrl(given.baseUrl);
    return {
      ...options,
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

/** The given options, and the default of the others. Throws for an unknown name or a value of another type. */
export function readOptions<Options extends object>(given: object, defaults: Options): Options {
  // Without this check, an AbortSignal in place of the options would be ignored: it has no own properties.
  assertType("options", given, "Object");
  const options = { ...defaults } as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, name))
      throwUsageError(`unknown option "${name}"; options: ${Object.keys(defaults).join(", ")}`);
    if (value === undefined) continue;
    const byDefault = options[name];
    if (byDefault !== undefined) assertType(name, value, typeName(byDefault));
    if (typeof byDefault === "string" || name === "idempotencyKey") checkHeaderValue(name, value);
    if (typeof byDefault === "number") checkNumber(name, value as number);
    options[name] = value;
  }
  return options as Options;
}

/** The longest delay of a timer: `setTimeout` fires immediately for a longer one. */
const longestMs = 2_147_483_647;

function checkNumber(name: string, value: number): void {
  const least = name === "maxResponseBytes" ? 1 : 0;
  if (!Number.isInteger(value) || value < least || value > longestMs)
    throwUsageError(`${name} must be an integer from ${least} to ${longestMs}`);
}

/** Never shows the address: it may contain a password. */
function readBaseUrl(baseUrl: string | Url): URL {
  const problem = baseAddressProblem(baseUrl);
  return problem ? throwUsageError(`baseUrl ${problem}`, "invalid_base_url") : new URL(baseUrl as string);
}

/** Never shows the value: it may be the API key. `fetch` would reject the same values, with a message that shows them. */
export function checkHeaderValue(name: string, value: unknown, code?: UsageError["code"]): string {
  const problem = headerValueProblem(value);
  return problem ? throwUsageError(`${name} ${problem}`, code) : (value as string);
}

/** @returns the name in lower case @param option named in the message */
export function checkHeaderName(option: string, name: string): string {
  if (!/^[\w!#-'*+.^`|~-]+$/.test(name)) throwUsageError(`${option} must be the name of a header`);
  return name.toLowerCase();
}
