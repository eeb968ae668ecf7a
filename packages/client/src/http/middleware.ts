import type { FetchResponse } from "./fetch-response.ts";
import type { OffersRequest } from "./offers-request.ts";

/**
 * Stands around every attempt, the first of the list outermost: hand on the request, or a changed copy, to `next`. What
 * it throws rejects the call as a `UsageError` (`middleware_failed`) whose `cause` it is. A body that you read is gone; hand
 * on a new `Response` then.
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
