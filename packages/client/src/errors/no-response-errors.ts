import { OffersError } from "./offers-error.ts";

/**
 * No complete response was received. `connect_failed`: the request was never sent (host not found, connection refused, host
 * unreachable). `connection_lost`: the request may have been received, so a creation or completion may have had its effect.
 * `tls_failed`: the certificate is not trusted, or the server does not speak TLS. `port_blocked`: `fetch` refuses the port of
 * `baseUrl`. The last two are never retried. `cause` has the name, code, system call and text of what `fetch` threw, without
 * the API key.
 *
 * @example
 * ```ts
 * import { ConnectionError } from "@offers/client";
 *
 * export const nothingHappened = (error: unknown): boolean =>
 *   error instanceof ConnectionError && error.code === "connect_failed";
 * ```
 */
export class ConnectionError extends OffersError {
  override readonly name = "ConnectionError";
  declare readonly code: "connect_failed" | "connection_lost" | "port_blocked" | "tls_failed";
  declare readonly status: undefined;
}

/**
 * No complete response (headers and body) within `timeoutMs`, or no result within `totalTimeoutMs` (D-25). A creation or
 * completion may have had its effect.
 *
 * @example
 * ```ts
 * import { TimeoutError } from "@offers/client";
 *
 * export const isSlow = (error: unknown): boolean => error instanceof TimeoutError;
 * ```
 */
export class TimeoutError extends OffersError {
  override readonly name = "TimeoutError";
  readonly code = "timeout";
  declare readonly status: undefined;
}

/**
 * Your `signal` was aborted; `cause` is its reason. With `attempts` above 0, a creation or completion may have had its
 * effect.
 *
 * @example
 * ```ts
 * import { AbortedError } from "@offers/client";
 *
 * export const isOurDoing = (error: unknown): boolean => error instanceof AbortedError;
 * ```
 */
export class AbortedError extends OffersError {
  override readonly name = "AbortedError";
  readonly code = "aborted";
  declare readonly status: undefined;
}
