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
    // Not Node alone: other runtimes have numbers.
    if (unref && typeof timer === "object") timer.unref();
    value.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
