import type { AnyOffersError } from "../errors/error-classes.ts";
import type { Fetch, Middleware, NodeAgent, OperationName, Signal, Url } from "../http.ts";

/**
 * The API key of one organisation, or a function that returns it. The function is called with `refresh: false` before every call, so cache
 * the key. After a 401 it is called once more, with `refresh: true`. If it then returns a different key, the request is sent again.
 *
 * @example
 * ```ts
 * import { type ApiKey, OffersClient } from "@offers/client";
 *
 * let cached: string | undefined;
 * const readFromVault: ApiKey = async ({ refresh }) => {
 *   if (refresh || cached === undefined) cached = await (await fetch("https://vault.example/offers-key")).text();
 *   return cached;
 * };
 * export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: readFromVault });
 * ```
 */
export type ApiKey =
  | string
  | ((request: {
      /** True after a 401: do not return the cached key. */
      refresh: boolean;
    }) => string | Promise<string>);

/**
 * Options for a client. Only `baseUrl` and `apiKey` are required. Numbers are integers of at most 2,147,483,647.
 *
 * @example
 * ```ts
 * import { OffersClient, type OffersClientOptions } from "@offers/client";
 *
 * const patientOptions: OffersClientOptions = {
 *   baseUrl: "https://service.example/some-prefix/",
 *   apiKey: process.env.OFFERS_API_KEY ?? "",
 *   timeoutMs: 60_000,
 *   totalTimeoutMs: 300_000,
 *   maxRetries: 4,
 * };
 * export const offers = new OffersClient(patientOptions);
 * ```
 */
export interface OffersClientOptions {
  /** The service's base URL; a path prefix is kept. It must use https, or http on loopback. */
  baseUrl: string | Url;
  /** Your organisation's API key. It is sent only to `baseUrl` and never appears in an error or a log. */
  apiKey: ApiKey;
  /** The header that carries the key. @default "X-UE-Api-Subscription-Key" */
  apiKeyHeader?: string | undefined;
  /** The version of the API, sent with every operation as `api-version`. @default "1.0" */
  apiVersion?: string | undefined;
  /** The request timeout in milliseconds, from the start of one attempt to the end of the response body. @default 30_000 */
  timeoutMs?: number | undefined;
  /**
   * The timeout for the whole call in milliseconds, including all attempts, the delays between them and your `apiKey` function. @default
   * 90_000
   */
  totalTimeoutMs?: number | undefined;
  /** The maximum number of retries; 0 disables them. @default 2 */
  maxRetries?: number | undefined;
  /**
   * The longest `Retry-After` to wait for, in milliseconds. A longer delay fails the call immediately, with `retryAfterMs` set. @default
   * 30_000
   */
  maxRetryAfterMs?: number | undefined;
  /**
   * The maximum size of a decompressed response body in bytes; at least 1. If a body is larger, the client closes the connection. If the
   * status was a success, the call then fails with `response_too_large`. @default 10_485_760
   */
  maxResponseBytes?: number | undefined;
  /** Whether the service acts only once per `Idempotency-Key`. If so, creations and completions are retried too. @default false */
  serviceHonoursIdempotencyKey?: boolean | undefined;
  /**
   * The `fetch` that sends the requests. @default on Node `node:http` or `node:https`; elsewhere, and on Node as soon as anything has
   * replaced `fetch` or its dispatcher or observes its requests, the runtime's `fetch`, looked up at every request
   */
  fetch?: Fetch | undefined;
  /**
   * Node's agent for the requests, for instance with a private certificate authority (`ca`), a client certificate, a proxy or a limit of
   * connections (`maxSockets`). Create it with `keepAlive: true`. Only on Node, where it is used unless you pass `fetch`, even if the
   * runtime's `fetch` has been replaced. @default an agent that every client shares
   */
  agent?: NodeAgent | undefined;
  /** Functions that wrap every attempt; the first is the outermost. @default [] */
  middleware?: readonly Middleware[] | undefined;
  /** Logs one line per attempt. @default none */
  logger?: Logger | undefined;
  /**
   * Called before each retry with the error, the number of the failed attempt (from 1) and the delay in milliseconds, which is 0 for the
   * attempt with a refreshed key. Its errors are ignored. @default none
   */
  onRetry?:
    | ((notice: {
        /** Why the attempt failed. */
        error: AnyOffersError;
        /** The number of the failed attempt, from 1. */
        attempt: number;
        /** How long the client waits before the retry. */
        delayMs: number;
      }) => void)
    | undefined;
  /**
   * Called once per operation if a response has the header `Deprecation` (RFC 9745) or `Sunset` (RFC 8594). Its errors are ignored.
   *
   * @default writes one line to `console.warn`
   */
  onDeprecation?: ((notice: DeprecationNotice) => void) | undefined;
  /** The `User-Agent` header. @default "offers-client" */
  userAgent?: string | undefined;
}

/**
 * A notice that the service will remove or change an operation.
 *
 * @example
 * ```ts
 * import { type DeprecationNotice, OffersClient } from "@offers/client";
 *
 * const onDeprecation = ({ operation, sunsetAt }: DeprecationNotice) =>
 *   console.warn(`${operation} may stop working: ${sunsetAt?.toISOString() ?? "no date announced"}`);
 * export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key", onDeprecation });
 * ```
 */
export interface DeprecationNotice {
  /** The operation that will be removed or changed. */
  readonly operation: OperationName;
  /** When the operation was or will be deprecated; undefined if `Deprecation` is missing or not a date. */
  readonly deprecatedAt: Date | undefined;
  /** When the operation may stop working; undefined if `Sunset` is missing or not a date. */
  readonly sunsetAt: Date | undefined;
}

/**
 * Options for one call.
 *
 * @example
 * ```ts
 * import type { CallOptions, OffersClient } from "@offers/client";
 *
 * const withoutRetries: CallOptions = { maxRetries: 0, timeoutMs: 2_000, signal: AbortSignal.timeout(5_000) };
 * export const readOnce = (offers: OffersClient, id: string) => offers.getOffer(id, withoutRetries);
 * ```
 */
export interface CallOptions {
  /** Aborts the call, even during a delay between attempts. No listener remains on the signal. */
  signal?: Signal | undefined;
  /** The timeout for one attempt in milliseconds. @default the client option */
  timeoutMs?: number | undefined;
  /** The timeout for the whole call in milliseconds. @default the client option */
  totalTimeoutMs?: number | undefined;
  /** The maximum number of retries; 0 disables them. @default the client option */
  maxRetries?: number | undefined;
  /** The `Idempotency-Key` that every attempt of a creation or completion sends. @default a random UUID per call */
  idempotencyKey?: string | undefined;
  /** Additional headers. They may replace `accept` and `user-agent`, but not `content-type`, `idempotency-key` or the API key. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * A logger that receives one line per attempt: `debug` for a success, `warn` for a failure. Pass a pino logger or `console`. The fields are
 * `operation`, `attempt` (from 1), `transport` (`node:http` or `fetch`), `durationMs`, `status`, and for a failure `code` and
 * `retryDelayMs` (undefined if there is no retry). They never include an id, a key or a body. Errors thrown by the logger are ignored, so
 * that a created offer never looks like a failure.
 *
 * The client converts a field if the service sends it with an undocumented type. The first time this happens, it logs a `warn` line with
 * `code: "unexpected_response_shape"` and the `path` of the field.
 *
 * @example
 * ```ts
 * import { type Logger, OffersClient } from "@offers/client";
 *
 * const logger: Logger = {
 *   debug: () => {},
 *   warn: (fields, message) => console.warn(message, JSON.stringify(fields)),
 * };
 * export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key", logger });
 * ```
 */
export interface Logger {
  /** Logs an attempt that succeeded. */
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Logs an attempt that failed, or a field that was converted. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}
