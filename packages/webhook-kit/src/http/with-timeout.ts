/**
 * The answer of something that may never give one.
 *
 * @throws {Error} (rejects) `message` once `timeoutMs` have passed
 */
export function withinTime<T>(answer: Promise<T>, timeoutMs: number, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(message)), timeoutMs);
    // What waits for the answer keeps the process alive, or nothing does.
    if (typeof timer === "object") timer.unref();
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
