/**
 * The part of a `Response` that this package uses; the `Response` of any `fetch` fits. The body can be read once, and the
 * client reads it.
 *
 * @example
 * ```ts
 * import type { FetchResponse } from "@offers/client";
 *
 * export const remaining = ({ headers }: FetchResponse): string | null => headers.get("x-ratelimit-remaining");
 * ```
 */
export interface FetchResponse {
  readonly status: number;
  readonly headers: {
    /** Case-insensitive. */
    get(name: string): string | null;
  };
  /** The whole body. */
  text(): Promise<string>;
}
