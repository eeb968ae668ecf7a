/** A parser under coverage-guided fuzzing, with what must be true of it for every input. */
export interface FuzzTarget {
  /** Words that mutation would take long to find. */
  readonly words: readonly string[];
  /** @throws when a property does not hold */
  fuzz(data: Buffer): void | Promise<void>;
}

/**
 * The texts that one input holds, separated by line feeds; the last one has the rest. Latin-1, so that mutation of one byte changes
 * one character, and every code unit below 256 can be made.
 */
export function readParts(data: Buffer, count: number): readonly string[] {
  const parts = data.toString("latin1").split("\n");
  const last = parts.splice(count - 1).join("\n");
  return Array.from({ length: count }, (_, index) => (index < count - 1 ? (parts[index] ?? "") : last));
}
