/**
 * What this package uses of an answer: any `fetch`'s `Response` is one. The body can be read once, and the client reads
 * it.
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
    /** By any spelling of the name. */
    get(name: string): string | null;
  };
  /** The whole body. */
  text(): Promise<string>;
}
