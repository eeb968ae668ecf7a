import type { UsageError } from "../errors/error-classes.ts";
import { Failure, kindOf, misuse, mustBe, toOffersError } from "../errors/failure.ts";
import {
  apiKeyHeader,
  apiVersion,
  maxResponseBytes,
  maxRetries,
  maxRetryAfterMs,
  timeoutMs,
  totalTimeoutMs,
} from "../generated/decisions.ts";
import type { Fetch } from "../http.ts";
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
  hasReportedShape: boolean;
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
    if (!middleware.every((layer) => typeof layer === "function")) refuse("middleware must be an array of functions");
    if (logger !== undefined && !(hasMethod(logger, "debug") && hasMethod(logger, "warn")))
      refuse("logger must have debug() and warn(), such as console");
    const baseUrl = readBaseUrl(given.baseUrl);
    return {
      ...options,
      apiKey,
      baseUrl,
      host: new URL(baseUrl).host,
      query: `?api-version=${encodeURIComponent(options.apiVersion)}`,
      apiKeyHeader: checkHeaderName("apiKeyHeader", options.apiKeyHeader),
      call: { timeoutMs, totalTimeoutMs, maxRetries, signal: undefined, idempotencyKey: undefined, headers: {} },
      hasReportedShape: false,
    };
  } catch (thrown) {
    // The error of a getter of the options is the caller's own.
    throw thrown instanceof Failure ? toOffersError(thrown) : thrown;
  }
}

/** Fails for an invalid option of a call. Its texts and headers are checked where they are sent. */
export function readCallOptions(given: CallOptions, defaults: CallSettings): CallSettings {
  const options = readOptions(given, defaults);
  const { signal, headers } = options;
  if (signal !== undefined && !hasMethod(signal, "addEventListener"))
    refuse("signal must be an AbortSignal: the .signal of an AbortController", "invalid_argument");
  // A Headers object: the loop over its fields would find none.
  if (hasMethod(headers, "entries")) refuse("headers must be a plain object: Object.fromEntries(headers)");
  return options;
}

/** What `given` says, and the default for the rest. Fails for an unknown name and a value of another kind. */
export function readOptions<Options extends object>(given: object, defaults: Options): Options {
  // A signal in place of the options would be ignored: it has no fields of its own.
  const isObject = kindOf(given) === "an object" && !hasMethod(given, "addEventListener");
  if (!isObject) refuse(mustBe("the last argument", `an object, such as { ${Object.keys(defaults)[0]} }`, given));
  const options = { ...defaults } as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, name))
      refuse(`unknown option "${name.slice(0, 99)}"; there are ${Object.keys(defaults).join(", ")}`);
    if (value === undefined) continue;
    const byDefault = options[name];
    if (byDefault !== undefined && kindOf(value) !== kindOf(byDefault)) refuse(mustBe(name, kindOf(byDefault), value));
    if (typeof byDefault === "string") checkHeaderValue(name, value);
    const least = name === "maxResponseBytes" ? 1 : 0;
    // The bitwise and returns its operand only for a whole number in the range.
    if (typeof byDefault === "number" && (value !== (value & longestMs) || value < least))
      refuse(`${name} must be a whole number from ${least} to ${longestMs}`);
    options[name] = value;
  }
  return options as Options;
}

/** The longest delay of a timer: `setTimeout` fires at once for a longer one. */
const longestMs = 2_147_483_647;

const hasMethod = (value: unknown, name: string): boolean => typeof Object(value)[name] === "function";

function refuse(message: string, code: UsageError["code"] = "invalid_option"): never {
  throw misuse(code, message);
}

/** https, or http on loopback; no credentials, query or fragment. Matches a URL that `URL` has normalised. */
const safeUrl = /^http(s:|:\/\/(localhost|127\.[\d.]+|\[::1])[:/])[^?#@]*$/;

/** @returns the base address without a slash at its end */
function readBaseUrl(baseUrl: unknown): string {
  const text = typeof baseUrl === "string" || baseUrl instanceof URL ? `${baseUrl}` : "";
  // What URL would repair: white space, and a third slash.
  const isPlain = /^https?:\/\/[^\s/:]\S*$/i.test(text) && URL.canParse(text);
  const href = isPlain ? new URL(text).href : "";
  if (safeUrl.test(href) && !/^\w+:\/\/[^/]*:0\//.test(href)) return href.replace(/\/+$/, "");
  // The address is not shown: it may hold a password.
  const rules = "https (http on loopback only), without white space, credentials, ? and #: https://service.example";
  return refuse(`baseUrl must be ${rules}${hintFor(baseUrl)}`, "invalid_base_url");
}

/** For a value that is missing or empty. */
const hintFor = (value: unknown): string => (value ? "" : "; is its environment variable set?");

/** A header's value. `fetch` would refuse the same values, with a message that shows them. */
export function checkHeaderValue(name: string, value: unknown, code: UsageError["code"] = "invalid_option"): string {
  if (typeof value === "string" && /^[!-~]([ -~]*[!-~])?$/.test(value)) return value;
  return refuse(`${name} must be printable ASCII, without white space around it${hintFor(value)}`, code);
}

/** @returns the name in lower case @param option named in the message */
export function checkHeaderName(option: string, name: unknown): string {
  const text = checkHeaderValue(option, name);
  if (!/^[\w!#-'*+.^`|~-]+$/.test(text)) refuse(`${option} must be the name of a header, such as X-Team`);
  return text.toLowerCase();
}
