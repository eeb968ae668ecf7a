/**
 * Calls everybody whose time is over. All wait equally long, so that the first is always the next, and one timer serves them
 * all: a timer for each costs as much as a signature's check. For Node only, where a timer may outlive its request.
 */
export class Deadlines {
  readonly #afterMs: number;
  /** In the order of their time. */
  readonly #waiting = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;

  private constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  static readonly #shared = new Map<number, Deadlines>();

  /** Those who wait for so long. */
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
    // A process with nobody left to wait for may end.
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
