/**
 * No connection was made, whatever code the cause has: a proxy that cannot reach the service reports a reset, which by its code
 * alone would mean that the request may have been received (D-40).
 */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
  readonly code = "REQUEST_NOT_SENT";

  constructor(cause: Error) {
    super("no connection was made", { cause });
  }
}
