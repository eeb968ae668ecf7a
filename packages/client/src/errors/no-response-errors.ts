import { OffersError } from "./offers-error.ts";

/**
 * No whole answer came. `connect_failed`: the request provably never left, so nothing happened (name not found,
 * connection refused, no way to the host). `connection_lost`: it may have arrived, so a creation or completion may have
 * had its effect. `tls_failed`: the certificate is not trusted here, or what answers speaks no TLS; `port_blocked`: `fetch`
 * refuses the port of `baseUrl`. Neither is repeated, for waiting mends neither.
 * `cause` has the name, code, system call and text of what `fetch` threw, without the API key.
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
 * The whole answer, headers and body, did not come within `timeoutMs`, or the call not within `totalTimeoutMs` (D-25). A
 * creation or completion may have had its effect.
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
