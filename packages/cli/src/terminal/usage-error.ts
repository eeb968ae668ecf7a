/** A mistake of the user, or of the environment: the command prints the message, which says what to do next, and exits with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
