import type { RateLimit } from "@offers/contract/rate-limit";
import type { OperationName } from "../http.ts";

/** Marks an error of this package, also of another installed copy. */
export const brand: unique symbol = Symbol.for("@offers/client/error");

/**
 * The problem details of an error response (RFC 9457), with every extension member (D-19). A standard member whose type is
 * not the RFC's is left out, as RFC 9457, 3.1 demands. Your API key is redacted.
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
  /** A URI that names the kind of problem. */
  type?: string;
  /** The kind of problem in a few words. */
  title?: string;
  /** The status in the body; `error.status` is the status of the response. */
  status?: number;
  /** What went wrong this time. */
  detail?: string;
  /** A URI of this occurrence. */
  instance?: string;
  /** The service's own stable code, more specific than `error.code`. */
  code?: string;
  /** Maps the name of a field (`events[0].end`) to its validation messages. */
  errors?: Record<string, string[]>;
  [extension: string]: unknown;
}

/** The properties of an error besides its message. */
export interface OffersErrorDetails {
  /** For classes with several codes; the others have a fixed one. */
  code?: string | undefined;
  operation?: OperationName | undefined;
  attempts?: number | undefined;
  status?: number | undefined;
  problem?: Problem | undefined;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  rateLimit?: RateLimit | undefined;
  cause?: unknown;
}

/**
 * Base of everything this package throws or rejects with. `code` never changes between releases; `message` may. No error
 * holds the API key, nor what you sent (D-49).
 *
 * @example
 * ```ts
 * import type { OffersError } from "@offers/client";
 *
 * export const toLog = ({ name, code, operation, status, attempts, requestId }: OffersError) =>
 *   ({ name, code, operation, status, attempts, requestId });
 * ```
 */
export abstract class OffersError extends Error {
  /** A stable name of the failure, unique among all classes. */
  abstract readonly code: string;
  /** The operation that failed; undefined when the client could not be made. */
  declare readonly operation: OperationName | undefined;
  /** How many requests were sent for this call; 0 when it failed before the first. Set where the error leaves the call. */
  declare readonly attempts: number;
  /** The HTTP status of the last response; undefined without a response. */
  readonly status: number | undefined;
  /** The problem details of the response, if it has any. */
  declare readonly problem: Problem | undefined;
  /** The service's id of the request, from `X-Request-Id` or `Request-Id`. */
  declare readonly requestId: string | undefined;
  /** The delay that `Retry-After` asks for, in milliseconds from the response. */
  declare readonly retryAfterMs: number | undefined;

  /**
   * What the headers of the response say about limits, retries, deprecation, timing and the request's id; names are in lower case.
   * Undefined without a response. Other headers may be secret, and are left out.
   */
  declare readonly headers: Readonly<Record<string, string>> | undefined;
  /** How many requests are left, from `RateLimit` and `RateLimit-Policy`; undefined if the response does not say. */
  declare readonly rateLimit: RateLimit | undefined;
  /** The page about `code`: its meaning, the likely cause and what to do (D-113). Set where the error leaves the call. */
  declare readonly docsUrl: string;

  constructor(message: string, details?: OffersErrorDetails) {
    super(message, details);
    Object.assign(this, details);
  }

  /** Everything but the cause and the stack; `JSON.stringify` calls it. */
  toJSON(): object {
    return { ...this, message: this.message };
  }

  /** On the prototype: a logger would print an own property. @internal */
  get [brand](): true {
    return true;
  }
}

/** A class whose instances are made from a message and details. */
export type ErrorClass = new (...given: ConstructorParameters<typeof OffersError>) => OffersError;
