import type { OffersRequest } from "./middleware.ts";

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

/**
 * A `fetch`: the runtime's, undici's, or one of your own that goes through a proxy or trusts a private authority. It must
 * honour `redirect: "manual"`; of the rest of `init` it may use what it needs.
 *
 * @example
 * ```ts
 * import { type Fetch, OffersClient } from "@offers/client";
 *
 * const timed: Fetch = async (url, init) => {
 *   const startedAt = performance.now();
 *   const response = await fetch(url, init);
 *   console.log(init.operation, response.status, performance.now() - startedAt);
 *   return response;
 * };
 * export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key", fetch: timed });
 * ```
 */
export type Fetch = (
  url: string,
  init: OffersRequest & { redirect: "manual"; cache: "no-store" },
) => Promise<FetchResponse>;
