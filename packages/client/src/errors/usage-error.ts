import { OffersError } from "./offers-error.ts";

/**
 * The caller's mistake, found on this side: thrown by the constructor, or rejected before any request (except
 * `middleware_failed`, whose `cause` has what your middleware threw, and an `invalid_api_key` from a refresh). The
 * message says what to change.
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
