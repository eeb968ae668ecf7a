// The declarations of the user's libraries, if any: these types must also compile without DOM and Node types.

/** The runtime's `AbortSignal`. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean };

/** The runtime's `URL`. */
export type Url = typeof globalThis extends { URL: { prototype: infer Known } } ? Known : { readonly href: string };

/** The name of an operation, as interface.md has it. */
export type OperationName = "CreateOffer" | "GetOffer" | "CompleteOffer" | "WithdrawOffer";

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
  /** The largest response body in bytes, decompressed, which the client and `undiciFetch` accept (D-98). */
  readonly maxResponseBytes: number;
  /** Aborted at the attempt's deadline and by the caller's signal. */
  readonly signal: Signal;
}

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
