/**
 * The value of a promise that may never settle. Its timer does not keep the process alive.
 *
 * @throws {Error} (rejects) `message` once `timeoutMs` have passed
 */
export function withTimeout<T>(value: Promise<T>, timeoutMs: number, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(message)), timeoutMs);
    // Not Node alone: other runtimes have numbers.
    if (typeof timer === "object") timer.unref();
    value.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
