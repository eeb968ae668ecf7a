import { apiKeyHeader, apiVersion } from "@offers/contract/decisions";
import type { UsageError } from "../errors/error-classes.ts";
import { check, checkEach, kindOf, notReadable, refuse, toOffersError } from "../errors/failure.ts";
import { maxResponseBytes, maxRetries, maxRetryAfterMs, timeoutMs, totalTimeoutMs } from "../generated/decisions.ts";
import type { Fetch, Url } from "../http.ts";
import type { ApiKey, CallOptions, Logger, OffersClientOptions } from "./options.ts";

/**
 * Looked up at every request, so that a global `fetch` that is replaced later is used. Deno sends a text body twice when a
 * kept connection breaks, also that of a POST (denoland/deno#35610); it sends a Blob once.
 */
const runtimeFetch: Fetch = (url, init) =>
  globalThis.fetch(url, init.body && "Deno" in globalThis ? { ...init, body: new Blob([init.body]) } : init);

/** The options of a client that have a default. */
type Defaults = {
  readonly [Name in Exclude<keyof OffersClientOptions, "baseUrl" | "apiKey" | "logger">]: NonNullable<
    OffersClientOptions[Name]
  >;
} & { readonly logger: Logger | undefined };

/**
 * Every option of a client with its default. A value must be of the kind of its default, a number also whole, and a text the
 * value of a header; what is undefined here has a check of its own.
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
  /** Whether the logger has the one line about a response whose shape is not the contract's (D-126). */
  hasReportedShape?: boolean;
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
    checkEach("middleware", middleware, "function");
    if (logger !== undefined)
      for (const level of ["debug", "warn"]) check(`logger.${level}`, Object(logger)[level], "function");
    const url = readBaseUrl(given.baseUrl);
    return {
      ...options,
      apiKey,
      baseUrl: url.href.replace(/\/+$/, ""),
      host: url.host,
      query: `?api-version=${encodeURIComponent(options.apiVersion)}`,
      apiKeyHeader: checkHeaderName("apiKeyHeader", options.apiKeyHeader),
      call: { timeoutMs, totalTimeoutMs, maxRetries, signal: undefined, idempotencyKey: undefined, headers: {} },
    };
  } catch (thrown) {
    throw toOffersError(thrown, {}, notReadable);
  }
}

/** What `given` says, and the default for the rest. Fails for an unknown name and a value of another kind. */
export function readOptions<Options extends object>(given: object, defaults: Options): Options {
  // An AbortSignal in place of the options is not an Object: it would be ignored, for it has no fields of its own.
  check("options", given, "Object");
  const options = { ...defaults } as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, name)) refuse(`unknown option "${name}"`);
    if (value === undefined) continue;
    const byDefault = options[name];
    if (byDefault !== undefined) check(name, value, kindOf(byDefault));
    if (typeof byDefault === "string" || name === "idempotencyKey") checkHeaderValue(name, value);
    const least = Number(name === "maxResponseBytes");
    // The bitwise and returns its operand only for a whole number in the range.
    if (typeof byDefault === "number" && (value !== (value & longestMs) || value < least))
      refuse(`${name} must be a whole number from ${least} to ${longestMs}`);
    options[name] = value;
  }
  return options as Options;
}

/** The longest delay of a timer: `setTimeout` fires at once for a longer one. */
const longestMs = 2_147_483_647;

/**
 * https, or http on loopback; no port 0, white space, credentials, query or fragment. `URL` would drop white space, and a third
 * slash before the host.
 */
const safeUrl = /^(?!\w+:\/\/[^/]*:0+(\/|$))http(s:\/\/[^/:]|:\/\/(localhost|127\.[\d.]+|\[::1])(?![^:/]))[^\s?#@]*$/i;

/** The address is not shown where it is refused: it may hold a password. */
const readBaseUrl = (baseUrl: string | Url): URL =>
  safeUrl.test(baseUrl as string) && URL.canParse(baseUrl as string)
    ? new URL(baseUrl as string)
    : refuse("baseUrl must be https, or http on loopback, without credentials, ? and #", "invalid_base_url");

/** A header's value. `fetch` would refuse the same values, with a message that shows them. */
export const checkHeaderValue = (name: string, value: unknown, code?: UsageError["code"]): string =>
  typeof value === "string" && /^[!-~]([ -~]*[!-~])?$/.test(value)
    ? value
    : refuse(`${name} must be printable ASCII, not empty or padded`, code);

/** @returns the name in lower case @param option named in the message */
export function checkHeaderName(option: string, name: string): string {
  if (!/^[\w!#-'*+.^`|~-]+$/.test(name)) refuse(`${option} must be the name of a header`);
  return name.toLowerCase();
}
