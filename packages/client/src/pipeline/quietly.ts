/** What an observer throws, or rejects with, must not make a created offer look as if it were not. */
export async function quietly(observe: () => unknown): Promise<void> {
  try {
    await observe();
  } catch {
    // Theirs to know.
  }
}
