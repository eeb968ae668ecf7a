import type { FetchResponse } from "./fetch.ts";
import type { Signal } from "./globals.ts";
import type { OperationName } from "./operation.ts";

/**
 * One attempt, as middleware sees it. Its headers hold the API key: don't log them.
 *
 * @example
 * ```ts
 * import type { OffersRequest } from "@offers/client";
 *
 * export const label = ({ operation, attempt }: OffersRequest): string => `${operation} #${attempt}`;
 * ```
 */
export interface OffersRequest {
  readonly operation: OperationName;
  /** 1 for the first request of a call. */
  readonly attempt: number;
  readonly method: "GET" | "POST";
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Record<string, string>;
  /** JSON, or null where the operation has no body. */
  readonly body: string | null;
  /** What a body may come to, unpacked; the client's own `fetch`es and reading keep to it (D-98). */
  readonly maxResponseBytes: number;
  /** Aborted by the attempt's deadline and by the caller. */
  readonly signal: Signal;
}

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
