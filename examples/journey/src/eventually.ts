import { setTimeout as sleep } from "node:timers/promises";

/**
 * Calls `poll` every 50 ms until it returns a value other than undefined or false, and returns that value.
 *
 * @param description what is awaited, for the message of the error that is thrown after `limitMs`
 */
export async function eventually<T>(
  description: string,
  poll: () => T | undefined | Promise<T | undefined>,
  limitMs = 60_000,
) {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const result = await poll();
    if (result !== undefined && result !== false) return result;
    if (performance.now() > deadline) throw new Error(`timed out after ${limitMs / 1_000} s: ${description}`);
    await sleep(50);
  }
}
