/** There already, or to come. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on with a value: at once when it is there, else when it comes. A promise costs more than the check of a signature, so
 * that none is made for what needs no waiting.
 */
export function after<T, R>(value: T | PromiseLike<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return isPromiseLike(value) ? Promise.resolve(value).then(next) : next(value);
}

export const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
