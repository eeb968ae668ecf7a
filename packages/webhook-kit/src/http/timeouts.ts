/**
 * Whether `await` would treat a value as a promise. `instanceof Promise` would be wrong, because Bluebird and zone.js replace the global,
 * but an async function always returns a built-in promise.
 */
export const isThenable = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof (value as Promise<T> | undefined)?.then === "function";

/**
 * Settles like `value`, or rejects after `timeoutMs`.
 *
 * @param onTimeout called after `timeoutMs`; returns the error to reject with
 * @param options.unref lets the process exit while the value is pending
 */
export function withTimeout<T>(
  value: Promise<T>,
  timeoutMs: number,
  onTimeout: () => unknown,
  { unref = false }: { unref?: boolean } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout()), timeoutMs);
    if (unref) letExit(timer);
    void value.then(resolve, reject).then(() => clearTimeout(timer));
  });
}

/** Lets the process exit while a timer is running, and returns the timer. Has no effect in runtimes where a timer is a number. */
function letExit(timer: NodeJS.Timeout): NodeJS.Timeout {
  if (typeof timer === "object") timer.unref();
  return timer;
}

/**
 * The deadlines of all requests with the same timeout. They share one timer, because adding and removing a deadline costs less than
 * starting a timer for each request. Used only on Node: on Cloudflare Workers, a timer belongs to the request that started it.
 */
export class Deadlines {
  static readonly #byLength = new Map<number, Deadlines>();

  /** Returns the deadlines in this process that share a timeout. */
  static of(milliseconds: number): Deadlines {
    let deadlines = Deadlines.#byLength.get(milliseconds);
    if (!deadlines) {
      deadlines = new Deadlines(milliseconds);
      Deadlines.#byLength.set(milliseconds, deadlines);
    }
    return deadlines;
  }

  readonly #milliseconds: number;
  /** When each deadline ends, earliest first. */
  readonly #ends = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;

  private constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Adds a deadline; `onEnd` is called when it passes. */
  add(onEnd: () => void): void {
    this.#ends.set(onEnd, performance.now() + this.#milliseconds);
    this.#timer ??= this.#startTimer(this.#milliseconds);
  }

  delete(onEnd: () => void): void {
    this.#ends.delete(onEnd);
  }

  #startTimer(milliseconds: number): NodeJS.Timeout {
    // The connection of the waiting request keeps the process alive, so the timer does not have to.
    return letExit(setTimeout(() => this.#endExpired(), milliseconds));
  }

  #endExpired(): void {
    this.#timer = undefined;
    for (const [onEnd, endsAt] of this.#ends) {
      const remainingMs = endsAt - performance.now();
      if (remainingMs > 0) {
        this.#timer = this.#startTimer(Math.ceil(remainingMs));
        return;
      }
      this.#ends.delete(onEnd);
      onEnd();
    }
  }
}
