import type { OperationErrorCodes } from "../generated/operation-errors.ts";
import type { OperationName } from "../http.ts";
import { brand, OffersError } from "./offers-error.ts";

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type ParseNumber<Text> = Text extends `${infer Value extends number}` ? Value : never;

/** Every HTTP status that starts with the digit `Class`, so that `error.status === 409` narrows to one class. */
type HttpStatus<Class extends 2 | 3 | 4 | 5> = ParseNumber<`${Class}${Digit}${Digit}`>;

/**
 * The service rejected the request: 400, 422 or any other 4xx without a specific class. Retrying does not help, except after 408, after
 * which the client retries reads and withdrawals. `problem.errors` lists the invalid fields.
 *
 * @example
 * ```ts
 * import { BadRequestError } from "@offers/client";
 *
 * export const fieldErrors = (error: unknown) => (error instanceof BadRequestError ? (error.problem?.errors ?? {}) : {});
 * ```
 */
export class BadRequestError extends OffersError {
  override readonly name = "BadRequestError";
  readonly code = "bad_request";
  declare readonly status: Exclude<HttpStatus<4>, 401 | 403 | 404 | 409 | 429>;
}

/**
 * The API key is missing, invalid or expired (`unauthenticated`, 401), or your `apiKey` function threw (`api_key_provider_failed`, no
 * status; `cause` describes what it threw).
 *
 * @example
 * ```ts
 * import { AuthenticationError } from "@offers/client";
 *
 * export const isVaultDown = (error: unknown): boolean =>
 *   error instanceof AuthenticationError && error.code === "api_key_provider_failed";
 * ```
 */
export class AuthenticationError extends OffersError {
  override readonly name = "AuthenticationError";
  declare readonly status: 401 | undefined;
  // The base class has already assigned the code in the details, if there is one.
  readonly code: "unauthenticated" | "api_key_provider_failed" =
    (this as { code?: "api_key_provider_failed" }).code ?? "unauthenticated";
}

/**
 * The API key is valid but lacks permission: 403.
 *
 * @example
 * ```ts
 * import { PermissionError } from "@offers/client";
 *
 * export const isForbidden = (error: unknown): boolean => error instanceof PermissionError;
 * ```
 */
export class PermissionError extends OffersError {
  override readonly name = "PermissionError";
  readonly code = "forbidden";
  declare readonly status: 403;
}

/**
 * The offer does not exist, or your organisation may not see it: 404, or 204 when reading.
 *
 * @example
 * ```ts
 * import { NotFoundError, type OffersClient } from "@offers/client";
 *
 * export const findOffer = (offers: OffersClient, id: string) =>
 *   offers.getOffer(id).catch((error: unknown) => {
 *     if (error instanceof NotFoundError) return undefined;
 *     throw error;
 *   });
 * ```
 */
export class NotFoundError extends OffersError {
  override readonly name = "NotFoundError";
  readonly code = "not_found";
  declare readonly status: 404 | 204;
}

/**
 * The offer's state does not allow the operation, for instance because it is complete or withdrawn: 409.
 *
 * @example
 * ```ts
 * import { ConflictError, type OffersClient } from "@offers/client";
 *
 * export async function completeOnce(offers: OffersClient, id: string, workerIds: string[]): Promise<boolean> {
 *   const result = await offers.completeOffer(id, workerIds).safe();
 *   if (!result.ok && !(result.error instanceof ConflictError)) throw result.error;
 *   return result.ok;
 * }
 * ```
 */
export class ConflictError extends OffersError {
  override readonly name = "ConflictError";
  readonly code = "conflict";
  declare readonly status: 409;
}

/**
 * Too many requests: 429. Reads and withdrawals have already been retried up to `maxRetries` and `maxRetryAfterMs`;
 * `retryAfterMs` is the delay that the service asks for.
 *
 * @example
 * ```ts
 * import { RateLimitError } from "@offers/client";
 *
 * export const delayMs = (error: unknown): number => (error instanceof RateLimitError ? (error.retryAfterMs ?? 1_000) : 0);
 * ```
 */
export class RateLimitError extends OffersError {
  override readonly name = "RateLimitError";
  readonly code = "rate_limited";
  declare readonly status: 429;
}

/**
 * The service or a proxy in front of it failed: any 5xx. The offer may have been created or completed.
 *
 * @example
 * ```ts
 * import { ServerError } from "@offers/client";
 *
 * export const isMaintenance = (error: unknown): boolean => error instanceof ServerError && error.status === 503;
 * ```
 */
export class ServerError extends OffersError {
  override readonly name = "ServerError";
  readonly code = "server_error";
  declare readonly status: HttpStatus<5>;
}

/**
 * The service did not send a valid response. `invalid_response`: a web page, malformed JSON, a 304, or a field that is missing or has the
 * wrong type; the message contains its path. `response_too_large`: more than `maxResponseBytes`. `unexpected_redirect`: redirects are
 * never followed, because the API key must be sent only to `baseUrl`. The offer may have been created.
 *
 * @example
 * ```ts
 * import { InvalidResponseError } from "@offers/client";
 *
 * export const isRedirect = (error: unknown): boolean =>
 *   error instanceof InvalidResponseError && error.code === "unexpected_redirect";
 * ```
 */
export class InvalidResponseError extends OffersError {
  override readonly name = "InvalidResponseError";
  declare readonly code: "invalid_response" | "response_too_large" | "unexpected_redirect";
  /** The HTTP status; 0 if the runtime hides the redirect response. */
  declare readonly status: HttpStatus<2 | 3> | 0;
}

/**
 * No complete response was received. `connect_failed`: the request was never sent (host not found, connection refused, no connection at any
 * address). `connection_lost`: the request may have been received, so the offer may have been created or completed. `tls_failed`: the
 * certificate is not trusted, or the server does not use TLS. `port_blocked`: `fetch` blocks the port in `baseUrl`. The last two are never
 * retried. `cause` has the name, code, system call and message of the error from `fetch`, without the API key.
 *
 * @example
 * ```ts
 * import { ConnectionError } from "@offers/client";
 *
 * export const wasNeverSent = (error: unknown): boolean =>
 *   error instanceof ConnectionError && error.code === "connect_failed";
 * ```
 */
export class ConnectionError extends OffersError {
  override readonly name = "ConnectionError";
  declare readonly code: "connect_failed" | "connection_lost" | "port_blocked" | "tls_failed";
  declare readonly status: undefined;
}

/**
 * No complete response (headers and body) arrived within `timeoutMs`, or the call did not finish within `totalTimeoutMs`. The offer may
 * have been created or completed.
 *
 * @example
 * ```ts
 * import { TimeoutError } from "@offers/client";
 *
 * export const isTimeout = (error: unknown): boolean => error instanceof TimeoutError;
 * ```
 */
export class TimeoutError extends OffersError {
  override readonly name = "TimeoutError";
  readonly code = "timeout";
  declare readonly status: undefined;
}

/**
 * Your `signal` was aborted; `cause` is its reason. If `attempts` is above 0, the offer may have been created or completed.
 *
 * @example
 * ```ts
 * import { AbortedError } from "@offers/client";
 *
 * export const isAborted = (error: unknown): boolean => error instanceof AbortedError;
 * ```
 */
export class AbortedError extends OffersError {
  override readonly name = "AbortedError";
  readonly code = "aborted";
  declare readonly status: undefined;
}

/**
 * The package was used incorrectly. The constructor throws this error, or a call rejects with it before any request is sent. Two codes can
 * occur later: `middleware_failed`, whose `cause` describes what your middleware threw, and `invalid_api_key` after a refresh. The message
 * says what to change.
 *
 * @example
 * ```ts
 * import { OffersClient, UsageError } from "@offers/client";
 *
 * try {
 *   new OffersClient({ baseUrl: "http://service.example", apiKey: "key" });
 * } catch (error) {
 *   if (error instanceof UsageError) console.error(error.code, error.message);
 * }
 * ```
 */
export class UsageError extends OffersError {
  override readonly name = "UsageError";
  declare readonly code:
    | "invalid_base_url"
    | "invalid_api_key"
    | "invalid_option"
    | "invalid_id"
    | "invalid_time"
    | "invalid_argument"
    | "middleware_failed";
  declare readonly status: undefined;
}

/**
 * Every error that this package throws or rejects with: a union that narrows on `code` and on `status`.
 *
 * @example
 * ```ts
 * import type { AnyOffersError } from "@offers/client";
 *
 * export function describeError(error: AnyOffersError): string {
 *   if (error.status === 409) return `already complete or withdrawn: ${error.name satisfies "ConflictError"}`;
 *   return error.code === "aborted" ? "cancelled" : error.message;
 * }
 * ```
 */
export type AnyOffersError =
  | BadRequestError
  | AuthenticationError
  | PermissionError
  | NotFoundError
  | ConflictError
  | RateLimitError
  | ServerError
  | InvalidResponseError
  | ConnectionError
  | TimeoutError
  | AbortedError
  | UsageError;

/**
 * Works like `instanceof OffersError`, but also recognises an error from another installed copy of the package. Narrows to a union of all
 * error classes.
 *
 * @example
 * ```ts
 * import { isOffersError } from "@offers/client";
 *
 * export const statusFor = (error: unknown): number =>
 *   isOffersError(error) && error.code === "not_found" ? 404 : 502;
 * ```
 */
export const isOffersError = (value: unknown): value is AnyOffersError => brand in Object(value);

/** The errors in a union that have one of the codes. The `code` of a class with several codes is narrowed to these codes. */
// Only the errors that the operation can cause are left (D-143).
type WithCode<Failure extends AnyOffersError, Code extends string> = Failure extends unknown
  ? Failure["code"] extends Code
    ? Failure
    : [Failure["code"] & Code] extends [never]
      ? never
      : Failure & { readonly code: Failure["code"] & Code }
  : never;

/**
 * The errors that a call to an operation can reject with: the errors for the statuses that the service documents, and the client's own
 * errors. `safe()` narrows to this union, and {@link isOperationError} narrows an exception.
 *
 * A `switch` over `code` is exhaustive: assign the error to `never` in its `default`, and the compiler reports a missing case. Keep the
 * `default` for codes from a newer service. A minor release may add a code.
 *
 * @example
 * ```ts
 * import type { OperationError } from "@offers/client";
 *
 * export const isFinal = (error: OperationError<"CompleteOffer">): boolean =>
 *   error.code === "conflict" || error.code === "not_found";
 * ```
 */
export type OperationError<Name extends OperationName> = WithCode<AnyOffersError, OperationErrorCodes[Name]>;

/**
 * Returns whether a caught value is an error from a call to this operation. It narrows an exception the way `safe()` narrows a result.
 *
 * @example
 * ```ts
 * import { isOperationError, type OffersClient } from "@offers/client";
 *
 * export async function complete(offers: OffersClient, id: string, workerIds: string[]): Promise<string> {
 *   try {
 *     await offers.completeOffer(id, workerIds);
 *     return "complete";
 *   } catch (error) {
 *     if (isOperationError(error, "CompleteOffer") && error.code === "conflict") return "too late";
 *     throw error;
 *   }
 * }
 * ```
 */
export const isOperationError = <Name extends OperationName>(
  value: unknown,
  operation: Name,
): value is OperationError<Name> => isOffersError(value) && value.operation === operation;
