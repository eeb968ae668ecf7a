import { HandlerError } from "../errors.ts";

/**
 * What a handler threw is its user's, also where it is an error of ours: only as a cause, since its words may hold anything
 * (D-49).
 */
export const handlerFailed =
  (endpoint: string) =>
  (cause: unknown): never => {
    throw new HandlerError(
      "handler_failed",
      `The handler of ${endpoint} threw; the cause of this error is what it threw. The sender got 500.`,
      { cause },
    );
  };
