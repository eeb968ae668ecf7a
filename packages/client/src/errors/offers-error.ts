import type { RateLimit } from "@offers/contract/rate-limit";
import type { OperationName } from "../http.ts";

/** Marks this package's errors, even those from another installed copy. */
export const brand: unique symbol = Symbol.for("@offers/client/error");

/**
 * The problem details of an error response (RFC 9457), with all extension members. A standard member of the wrong type is omitted, as RFC
 * 9457, section 3.1 requires. Your API key is redacted.
 *
 * @example
 * ```ts
 * import type { Problem } from "@offers/client";
 *
 * export const explain = ({ title, errors = {} }: Problem): string =>
 *   [title, ...Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(", ")}`)].join("\n");
 * ```
 */
export interface Problem {
  /** A URI that identifies the problem type. */
  type?: string;
  /** A short summary of the problem type. */
  title?: string;
  /** The status in the body. `error.status` is the response's status. */
  status?: number;
  /** What went wrong this time. */
  detail?: string;
  /** A URI that identifies this occurrence. */
  instance?: string;
  /** The service's own stable code. It is more specific than `error.code`. */
  code?: string;
  /** The validation messages of each invalid field, by its name (`events[0].end`). */
  errors?: Record<string, string[]>;
  [extension: string]: unknown;
}

/** The properties that an error has in addition to its message. */
export interface OffersErrorDetails {
  /** Required for classes with several codes; all other classes have a fixed code. */
  code?: string | undefined;
  /** The operation that failed. */
  operation?: OperationName | undefined;
  /** How many requests were sent. */
  attempts?: number | undefined;
  /** The response's HTTP status. */
  status?: number | undefined;
  /** The response's problem details. */
  problem?: Problem | undefined;
  /** The service's request id. */
  requestId?: string | undefined;
  /** The delay that `Retry-After` asks for. */
  retryAfterMs?: number | undefined;
  /** The response headers that are safe to show. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** How many requests are left. */
  rateLimit?: RateLimit | undefined;
  /** What caused this error. */
  cause?: unknown;
}

/**
 * The base class of everything that this package throws or rejects with. `code` never changes between releases; `message` may. No error
 * contains the API key or the data that you sent.
 *
 * @example
 * ```ts
 * import type { OffersError } from "@offers/client";
 *
 * export const toLogFields = ({ name, code, operation, status, attempts, requestId }: OffersError) =>
 *   ({ name, code, operation, status, attempts, requestId });
 * ```
 */
export abstract class OffersError extends Error {
  /** A stable identifier for the kind of failure. No two classes share a code. */
  abstract readonly code: string;
  /** The operation that failed; undefined if no operation was called, for instance when the constructor threw. */
  declare readonly operation: OperationName | undefined;
  /** How many requests this call sent; 0 when it failed before the first. */
  declare readonly attempts: number;
  /** The HTTP status of the response that caused the error; undefined if no response did. */
  readonly status: number | undefined;
  /** The response's problem details, if it has any. */
  declare readonly problem: Problem | undefined;
  /** The service's request id, from `X-Request-Id` or `Request-Id`. Quote it to support. */
  declare readonly requestId: string | undefined;
  /** The delay that `Retry-After` asks for, in milliseconds after the response. */
  declare readonly retryAfterMs: number | undefined;

  /**
   * The response headers about limits, retries, deprecation, timing and the request id, by lower-case name. Other headers may be secret and
   * are omitted. Undefined if there was no response.
   */
  declare readonly headers: Readonly<Record<string, string>> | undefined;
  /** How many requests you have left, from `RateLimit` and `RateLimit-Policy`; undefined if the response does not report it. */
  declare readonly rateLimit: RateLimit | undefined;
  /** The page about `code`: its meaning, the likely cause and what to do. */
  declare readonly docsUrl: string;

  constructor(message: string, details?: OffersErrorDetails) {
    super(message, details);
    Object.assign(this, details);
  }

  /** Returns everything except the cause and the stack; `JSON.stringify` calls it. */
  toJSON(): object {
    return { ...this, message: this.message };
  }

  /** Marks the error. It is defined on the prototype, because loggers print own properties. @internal */
  get [brand](): true {
    return true;
  }
}

/** An error class that is constructed from a message and details. */
export type ErrorClass = new (...args: ConstructorParameters<typeof OffersError>) => OffersError;
