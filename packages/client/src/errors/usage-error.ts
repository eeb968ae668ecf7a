import { OffersError } from "./offers-error.ts";

/**
 * Invalid usage, detected before any request: thrown by the constructor, or rejected by a call. Two codes can come later:
 * `middleware_failed`, whose `cause` has what your middleware threw, and `invalid_api_key` from a refresh. The message says
 * what to change.
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
