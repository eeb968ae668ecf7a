import { brand } from "./brand.ts";
import type { AbortedError, ConnectionError, TimeoutError } from "./no-response-errors.ts";
import type {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InvalidResponseError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from "./response-errors.ts";
import type { UsageError } from "./usage-error.ts";

/**
 * Every error this package throws or rejects with: a union that narrows on `code`, and on `status`.
 *
 * @example
 * ```ts
 * import type { AnyOffersError } from "@offers/client";
 *
 * export function advise(error: AnyOffersError): string {
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
 * Like `instanceof OffersError`, but true also when two copies of the package are installed; narrows to every kind.
 *
 * @example
 * ```ts
 * import { isOffersError } from "@offers/client";
 *
 * export const statusFor = (error: unknown): number =>
 *   isOffersError(error) && error.code === "not_found" ? 404 : 502;
 * ```
 */
export const isOffersError = (value: unknown): value is AnyOffersError => value instanceof Error && brand in value;
