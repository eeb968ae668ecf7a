/**
 * As `await` decides it. Not by `instanceof Promise`: Bluebird and zone.js replace the global, and an async function's promise stays
 * the language's own.
 */
export const isThenable = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof (value as Promise<T> | undefined)?.then === "function";

/**
 * The value of a promise that may never settle.
 *
 * @param onTimeout called once `timeoutMs` have passed; returns the error to reject with
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

/** Lets the process exit while a timer runs. Not every runtime can: in some, a timer is a number. */
function letExit(timer: NodeJS.Timeout): NodeJS.Timeout {
  if (typeof timer === "object") timer.unref();
  return timer;
}

/**
 * Deadlines of one length that share a timer: a request adds one and deletes it again, and a timer of its own would cost more than
 * reading its body. On Node only: a timer of Cloudflare Workers belongs to one request.
 */
export class Deadlines {
  static readonly #byLength = new Map<number, Deadlines>();

  /** The deadlines of this length in this process. */
  static of(milliseconds: number): Deadlines {
    let deadlines = Deadlines.#byLength.get(milliseconds);
    if (!deadlines) {
      deadlines = new Deadlines(milliseconds);
      Deadlines.#byLength.set(milliseconds, deadlines);
    }
    return deadlines;
  }

  readonly #milliseconds: number;
  /** When each ends, the earliest first. */
  readonly #ends = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;

  private constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Calls `onEnd` once the time has passed. */
  add(onEnd: () => void): void {
    this.#ends.set(onEnd, performance.now() + this.#milliseconds);
    this.#timer ??= this.#start(this.#milliseconds);
  }

  delete(onEnd: () => void): void {
    this.#ends.delete(onEnd);
  }

  #start(milliseconds: number): NodeJS.Timeout {
    // The connection whose request waits keeps the process alive, not the timer.
    return letExit(setTimeout(() => this.#fire(), milliseconds));
  }

  #fire(): void {
    this.#timer = undefined;
    for (const [onEnd, end] of this.#ends) {
      const remaining = end - performance.now();
      if (remaining > 0) {
        this.#timer = this.#start(Math.ceil(remaining));
        return;
      }
      this.#ends.delete(onEnd);
      onEnd();
    }
  }
}
