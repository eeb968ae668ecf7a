import type { FetchResponse } from "./fetch-response.ts";
import type { OffersRequest } from "./offers-request.ts";

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
