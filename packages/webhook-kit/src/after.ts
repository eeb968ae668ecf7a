/** There already, or to come. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on with a value: at once when it is there, else when it comes. A promise costs more than the check of a signature, so
 * that none is made for what needs no waiting.
 */
export function after<T, R>(value: T | PromiseLike<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromiseLike(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Takes a step that may fail, at once or later. */
export function attempt<T, R>(
  step: () => T | PromiseLike<T>,
  recover: (cause: unknown) => Awaitable<R>,
): Awaitable<T | R> {
  try {
    const value = step();
    return isPromiseLike(value) ? Promise.resolve(value).then(undefined, recover) : value;
  } catch (cause) {
    return recover(cause);
  }
}

export const isPromiseLike = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
