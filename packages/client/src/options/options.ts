import type { AnyOffersError } from "../errors/error-classes.ts";
import type { Fetch, Middleware, OperationName, Signal, Url } from "../http.ts";

/**
 * The API key of one organisation, or a function that returns it. The function is called before every call with
 * `refresh: false`, so cache the key, and once more with `refresh: true` after a 401; if it returns another key, the request
 * is sent again (D-47).
 *
 * @example
 * ```ts
 * import { type ApiKey, OffersClient } from "@offers/client";
 *
 * let cached: string | undefined;
 * const fromVault: ApiKey = async ({ refresh }) => {
 *   if (refresh || cached === undefined) cached = await (await fetch("https://vault.example/offers-key")).text();
 *   return cached;
 * };
 * export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: fromVault });
 * ```
 */
export type ApiKey = string | ((request: { refresh: boolean }) => string | Promise<string>);

/**
 * The options of a client. Only the first two are required. Numbers are integers up to 2,147,483,647.
 *
 * @example
 * ```ts
 * import { OffersClient, type OffersClientOptions } from "@offers/client";
 *
 * const patient: OffersClientOptions = {
 *   baseUrl: "https://service.example/some-prefix/",
 *   apiKey: process.env.OFFERS_API_KEY ?? "",
 *   timeoutMs: 60_000,
 *   totalTimeoutMs: 300_000,
 *   maxRetries: 4,
 * };
 * export const offers = new OffersClient(patient);
 * ```
 */
export interface OffersClientOptions {
  /** The service's base address; a path prefix is kept. https, or http on loopback. */
  baseUrl: string | Url;
  /** Sent to that address only, and never shown in an error or a log (D-49). */
  apiKey: ApiKey;
  /** The header that carries the key (D-18). @default "X-UE-Api-Subscription-Key" */
  apiKeyHeader?: string | undefined;
  /** Sent with every operation as `api-version` (D-27). @default "1.0" */
  apiVersion?: string | undefined;
  /** The request timeout: the deadline of one attempt, from its start to the end of the response body (D-25). @default 30_000 */
  timeoutMs?: number | undefined;
  /** The deadline of the call: all attempts, the delays between them and your `apiKey` function (D-25). @default 90_000 */
  totalTimeoutMs?: number | undefined;
  /** The maximum number of retries (D-50); 0 disables them. @default 2 */
  maxRetries?: number | undefined;
  /** The Retry-After cap: a longer delay that the service asks for fails the call immediately, with `retryAfterMs` set. @default 30_000 */
  maxRetryAfterMs?: number | undefined;
  /**
   * The largest response body in bytes, decompressed; at least 1. For a larger one the connection is closed, and a success is
   * `response_too_large` (D-98). @default 10_485_760
   */
  maxResponseBytes?: number | undefined;
  /** Whether the service acts once per `Idempotency-Key`; only then are creations and completions retried (D-40). @default false */
  serviceHonoursIdempotencyKey?: boolean | undefined;
  /** @default the runtime's fetch, looked up at every request */
  fetch?: Fetch | undefined;
  /** Wraps every attempt; the first is the outermost. @default [] */
  middleware?: readonly Middleware[] | undefined;
  /** One line per attempt. @default none */
  logger?: Logger | undefined;
  /**
   * Called before each retry delay with the error, the number of the failed attempt (from 1) and the delay; with a delay of 0 before
   * the attempt with a refreshed key. Its errors are ignored. @default none
   */
  onRetry?: ((notice: { error: AnyOffersError; attempt: number; delayMs: number }) => void) | undefined;
  /**
   * Called once for each operation whose response has `Deprecation` (RFC 9745) or `Sunset` (RFC 8594). Its errors are ignored.
   *
   * @default writes one line to `console.warn`
   */
  onDeprecation?: ((notice: DeprecationNotice) => void) | undefined;
  /**
   * Whether a connection is used for more than one request. With `false`, every request asks the service to close its connection,
   * so that no request meets a connection that a load balancer or a frozen function has dropped; each costs a new handshake. It is
   * for the runtime's `fetch`: `undiciFetch` of `@offers/client/node` protects creations and completions without it. @default true
   */
  reuseConnections?: boolean | undefined;
  /** The `User-Agent` header. @default "offers-client" */
  userAgent?: string | undefined;
}

/**
 * The service will remove an operation, or change it.
 *
 * @example
 * ```ts
 * import { type DeprecationNotice, OffersClient } from "@offers/client";
 *
 * const onDeprecation = ({ operation, sunsetAt }: DeprecationNotice) =>
 *   console.warn(`${operation} ends ${sunsetAt?.toISOString() ?? "some day"}`);
 * export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key", onDeprecation });
 * ```
 */
export interface DeprecationNotice {
  readonly operation: OperationName;
  /** When the operation was or will be deprecated; undefined if `Deprecation` is missing or not a date. */
  readonly deprecatedAt: Date | undefined;
  /** When the operation may stop working; undefined if `Sunset` is missing or not a date. */
  readonly sunsetAt: Date | undefined;
}

/**
 * The options of one call.
 *
 * @example
 * ```ts
 * import type { CallOptions, OffersClient } from "@offers/client";
 *
 * const once: CallOptions = { maxRetries: 0, timeoutMs: 2_000, signal: AbortSignal.timeout(5_000) };
 * export const peek = (offers: OffersClient, id: string) => offers.getOffer(id, once);
 * ```
 */
export interface CallOptions {
  /** Aborts the call, even during a delay; no listener stays on the signal. */
  signal?: Signal | undefined;
  timeoutMs?: number | undefined;
  totalTimeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  /** For a creation or completion; the same on every attempt (D-40). @default a random UUID per call */
  idempotencyKey?: string | undefined;
  /** Additional headers. They may replace `accept` and `user-agent`, but not `content-type`, `idempotency-key` or the API key. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Receives one line per attempt: `debug` for a success, `warn` for a failure. A pino logger, or `console`. The fields are
 * `operation`, `attempt` (from 1), `durationMs`, `status`, and for a failure `code` and `retryDelayMs` (undefined if there is
 * no retry); never an id, a key or a body (D-49). Errors of the logger are ignored: the offer has been created even if the
 * line could not be written.
 *
 * One more `warn` line per client, with `code: "unexpected_response_shape"` and the `path` of a field, says that the service
 * sends a field as another type than the contract's, which the client converts (D-126).
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
  /** An attempt that succeeded. */
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** An attempt that failed. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}
