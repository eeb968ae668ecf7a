/** A run that is completely determined by a seed, so that it replays exactly. */
export class Seeded {
  /** A hash of everything that happened, in order. Two runs with the same seed have the same hash. */
  fingerprint = 0x811c9dc5;
  steps = 0;
  onStep: ((line: string) => void) | undefined;
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 up to, but not including, 1, with the generator mulberry32. */
  readonly random = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return probability > 0 && this.random() < probability;
  }

  /** Returns an integer from `min` to `max`, both inclusive. */
  between(min: number, max: number): number {
    return min + Math.floor(this.random() * (max - min + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T;
  }

  /** Reports a step, and adds it to the fingerprint, which is an FNV-1a hash. */
  protected recordStep(line: string): void {
    this.onStep?.(line);
    for (let index = 0; index < line.length; index += 1)
      this.fingerprint = Math.imul(this.fingerprint ^ line.charCodeAt(index), 0x01000193) >>> 0;
  }
}
