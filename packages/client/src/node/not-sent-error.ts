/**
 * No connection was made, whatever the cause says, for instance when a proxy opens no way to the service: read by its code
 * alone, a creation that never left would pass for one that may have arrived (D-40).
 */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
  readonly code = "REQUEST_NOT_SENT";

  constructor(cause: Error) {
    super("no connection was made", { cause });
  }
}
