import type { HttpStatus } from "./http-status.ts";
import { OffersError } from "./offers-error.ts";

/**
 * The service refused the request as it is: 400, 422 or any other 4xx without a class of its own. Sending it again cannot
 * help (but for 408, which is repeated for you). `problem.errors` says which field is wrong.
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
 * The API key is missing, wrong or expired (`unauthenticated`, 401, D-18), or your `apiKey` function threw
 * (`api_key_provider_failed`, no status; `cause` has what it threw).
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
  readonly code: "unauthenticated" | "api_key_provider_failed" = (this as OffersError).status
    ? "unauthenticated"
    : "api_key_provider_failed";
}

/**
 * The API key is valid, but not for this: 403.
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
 * There is no such offer, or your organisation may not see it: 404, or 204 where an offer was asked for (D-20).
 *
 * @example
 * ```ts
 * import { NotFoundError, type OffersClient } from "@offers/client";
 *
 * export const find = (offers: OffersClient, id: string) =>
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
 * The offer's state does not allow it, for instance because it is complete or withdrawn: 409 (D-11).
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
 * Too many requests: 429. Reads and withdrawals have already been repeated as long as `maxRetries` and
 * `maxRetryAfterMs` allow (D-50, D-54); `retryAfterMs` says how long the service asks to wait.
 *
 * @example
 * ```ts
 * import { RateLimitError } from "@offers/client";
 *
 * export const pauseMs = (error: unknown): number => (error instanceof RateLimitError ? (error.retryAfterMs ?? 1_000) : 0);
 * ```
 */
export class RateLimitError extends OffersError {
  override readonly name = "RateLimitError";
  readonly code = "rate_limited";
  declare readonly status: 429;
}

/**
 * The service, or something before it, failed: any 5xx. After a creation or completion it is not known whether it had its
 * effect.
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
 * The response is none of the service's: a web page, broken JSON, a field that is missing or of another type, which the
 * message names by its path, a 304 (`invalid_response`); more than `maxResponseBytes` (`response_too_large`); or a redirect
 * (`unexpected_redirect`, which is never followed, so that the API key stays with the address that you gave; the message names the
 * target's origin). After a creation it is not known whether the offer was created.
 *
 * @example
 * ```ts
 * import { InvalidResponseError } from "@offers/client";
 *
 * export const isWrongAddress = (error: unknown): boolean =>
 *   error instanceof InvalidResponseError && error.code === "unexpected_redirect";
 * ```
 */
export class InvalidResponseError extends OffersError {
  override readonly name = "InvalidResponseError";
  declare readonly code: "invalid_response" | "response_too_large" | "unexpected_redirect";
  /** 0 where a runtime hides the answer that redirects. */
  declare readonly status: HttpStatus<2 | 3> | 0;
}
