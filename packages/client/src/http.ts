// Inferred from the global scope, because the user's project may have neither the DOM types nor the Node types.

/** The runtime's `AbortSignal`. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Instance } }
  ? Instance
  : { readonly aborted: boolean };

/** The runtime's `URL`. */
export type Url = typeof globalThis extends { URL: { prototype: infer Instance } }
  ? Instance
  : { readonly href: string };

/** The name of one of the service's operations. */
export type OperationName = "CreateOffer" | "GetOffer" | "CompleteOffer" | "WithdrawOffer";

/**
 * One attempt's request, as middleware sees it. Its headers contain the API key: do not log them.
 *
 * @example
 * ```ts
 * import type { OffersRequest } from "@offers/client";
 *
 * export const formatLabel = ({ operation, attempt }: OffersRequest): string => `${operation} #${attempt}`;
 * ```
 */
export interface OffersRequest {
  /** The operation that the call performs. */
  readonly operation: OperationName;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /** The HTTP method. */
  readonly method: "GET" | "POST";
  /** The full URL, with its query. */
  readonly url: string;
  /** The request headers, by lower-case name. */
  readonly headers: Record<string, string>;
  /** The JSON to send; null when the operation has no body. */
  readonly body: string | null;
  /** The largest decompressed response body, in bytes, that the client accepts. */
  readonly maxResponseBytes: number;
  /** Aborted when the attempt times out or the caller's signal is aborted. */
  readonly signal: Signal;
}

/**
 * The part of a `Response` that this package uses. The client reads the body, which can be read only once.
 *
 * @example
 * ```ts
 * import type { FetchResponse } from "@offers/client";
 *
 * export const requestsLeft = ({ headers }: FetchResponse): string | null => headers.get("x-ratelimit-remaining");
 * ```
 */
export interface FetchResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The response headers. */
  readonly headers: {
    /** Returns a header's value; the name is case-insensitive. */
    get(name: string): string | null;
  };
  /** Reads the whole body as a string. */
  text(): Promise<string>;
}

/**
 * A `fetch` function: the runtime's, undici's or your own, for instance to use a proxy or trust a private certificate authority. It must
 * not follow redirects, and it may ignore `cache`.
 *
 * @example
 * ```ts
 * import { type Fetch, OffersClient } from "@offers/client";
 *
 * const timedFetch: Fetch = async (url, init) => {
 *   const startedAt = performance.now();
 *   const response = await fetch(url, init);
 *   console.log(init.operation, response.status, performance.now() - startedAt);
 *   return response;
 * };
 * export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key", fetch: timedFetch });
 * ```
 */
export type Fetch = (
  url: string,
  init: OffersRequest & {
    /** Redirects are not followed, because the API key must be sent only to `baseUrl`. */
    redirect: "manual";
    /** Responses are not cached. Absent if the runtime's `Request` has no `cache`, because old Workers reject the option. */
    cache?: "no-store";
  },
) => Promise<FetchResponse>;

/** The code of the error that a transport throws if no byte of the request was written. The cause may have any code. */
export const notSentCode = "REQUEST_NOT_SENT";

/** What sends the requests. */
export interface Transport {
  /** Which one sends the next request. */
  readonly name: "fetch" | "node:http";
  readonly send: Fetch;
}

/**
 * An agent of `node:http` or `node:https`, or one that extends them, such as a proxy agent. Declared by its structure, because the user's
 * project may not have the Node types.
 *
 * @inline
 */
export interface NodeAgent {
  /** The idle connections, by server. */
  readonly freeSockets: object;
  /** The connections in use, by server. */
  readonly sockets: object;
  /** The requests that wait for a connection, by server. */
  readonly requests: object;
}

/**
 * Wraps every attempt. The first middleware in the list is the outermost. Pass the request, or a changed copy, to `next`. When middleware
 * throws, the call rejects with a `UsageError` (`middleware_failed`) whose `cause` describes that error. A body can be read only once, so
 * middleware that reads it must return a new `Response`.
 *
 * @example
 * ```ts
 * import { type Middleware, OffersClient } from "@offers/client";
 *
 * const addTeamHeader: Middleware = (request, next) =>
 *   next({ ...request, headers: { ...request.headers, "x-team": "staffing" } });
 * export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key", middleware: [addTeamHeader] });
 * ```
 */
export type Middleware = (
  request: OffersRequest,
  next: (request: OffersRequest) => Promise<FetchResponse>,
) => Promise<FetchResponse>;
