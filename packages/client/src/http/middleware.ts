import type { FetchResponse } from "./fetch-response.ts";
import type { OffersRequest } from "./offers-request.ts";

/**
 * Wraps every attempt; the first of the list is the outermost. Pass the request, or a changed copy, to `next`. An error that
 * middleware throws rejects the call as a `UsageError` (`middleware_failed`) with that error as `cause`. A body can be read
 * once: middleware that reads it must return a new `Response`.
 *
 * @example
 * ```ts
 * import { type Middleware, OffersClient } from "@offers/client";
 *
 * const tagged: Middleware = (request, next) =>
 *   next({ ...request, headers: { ...request.headers, "x-team": "staffing" } });
 * export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key", middleware: [tagged] });
 * ```
 */
export type Middleware = (
  request: OffersRequest,
  next: (request: OffersRequest) => Promise<FetchResponse>,
) => Promise<FetchResponse>;
