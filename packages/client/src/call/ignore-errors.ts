/** Calls a logger or observer of the user. Its errors are ignored: they must not make a created offer look as if it were not. */
export async function ignoreErrors(observe: () => unknown): Promise<void> {
  try {
    await observe();
  } catch {
    // The observer's own concern.
  }
}
