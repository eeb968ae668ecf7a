/** There already, or to come. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on with a value: at once when it is there, else when it comes. A promise costs more than the check of a signature, so
 * that none is made for what needs no waiting.
 */
export function after<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Takes a step that may fail, at once or later. */
export function attempt<T, R>(step: () => Awaitable<T>, recover: (cause: unknown) => Awaitable<R>): Awaitable<T | R> {
  try {
    const value = step();
    return value instanceof Promise ? value.catch(recover) : value;
  } catch (cause) {
    return recover(cause);
  }
}

/** What a user's function answers may be anything that can be awaited, also a promise of another realm. */
export function fromUser<T>(value: T | PromiseLike<T>): Awaitable<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
    ? Promise.resolve(value)
    : (value as T);
}
