import type { OperationName } from "../contract/operation-name.ts";
import type { Problem } from "../contract/problem.ts";
import { brand } from "./brand.ts";
import type { unclaimed } from "./unclaimed.ts";

/** What an error knows besides its message. */
export interface OffersErrorDetails {
  /** Of a kind that has several; of any other it is fixed. */
  code?: string | undefined;
  operation?: OperationName | undefined;
  attempts?: number | undefined;
  status?: number | undefined;
  problem?: Problem | undefined;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
  /** @internal */
  [unclaimed]?: true;
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
  /** A stable name of what went wrong, unique among all kinds. */
  abstract readonly code: string;
  /** The operation that failed; undefined when the client could not be made. */
  readonly operation: OperationName | undefined;
  /** How many requests were sent for this call; 0 when it failed before the first. */
  readonly attempts: number = 0;
  /** The HTTP status of the last answer; undefined when there was none. */
  readonly status: number | undefined;
  /** What the service says about it, if it does. */
  readonly problem: Problem | undefined;
  /** The service's id of the request, from `X-Request-Id` or `Request-Id`. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait, in milliseconds from the moment of its answer. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details?: OffersErrorDetails) {
    super(message, details);
    Object.assign(this, details);
  }

  // Not a property of its own: what prints an error would print it too.
  static {
    Object.defineProperty(OffersError.prototype, brand, { value: true });
  }
}

/** A class whose instances are made from a message and details. */
export type ErrorClass = new (...given: ConstructorParameters<typeof OffersError>) => OffersError;
