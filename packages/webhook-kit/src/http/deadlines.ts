/**
 * Timeouts of equal length that share one timer: a timer for each request costs as much as verifying its signature. For Node
 * only, where a timer may outlive its request.
 */
export class Deadlines {
  readonly #afterMs: number;
  /** In the order in which they expire. */
  readonly #waiting = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;

  private constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  static readonly #shared = new Map<number, Deadlines>();

  static after(ms: number): Deadlines {
    const shared = Deadlines.#shared.get(ms) ?? new Deadlines(ms);
    Deadlines.#shared.set(ms, shared);
    return shared;
  }

  add(expire: () => void): void {
    if (this.#waiting.size === 0) this.#timer?.ref();
    this.#waiting.set(expire, performance.now() + this.#afterMs);
    this.#timer ??= setTimeout(this.#expire, this.#afterMs);
  }

  delete(expire: () => void): void {
    this.#waiting.delete(expire);
    // A process without pending timeouts may exit.
    if (this.#waiting.size === 0) this.#timer?.unref();
  }

  readonly #expire = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    for (const [expire, dueAt] of this.#waiting) {
      // A timer may be early by a fraction of a millisecond.
      if (dueAt > now + 1) {
        this.#timer = setTimeout(this.#expire, dueAt - now);
        return;
      }
      this.#waiting.delete(expire);
      expire();
    }
  };
}
