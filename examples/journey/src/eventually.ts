import { setTimeout as sleep } from "node:timers/promises";

/**
 * Polls `look` every 50 ms until it returns a value other than undefined or false, and returns that value.
 *
 * @param what describes the condition in the error after `limitMs`
 */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  limitMs = 60_000,
) {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`timed out after ${limitMs / 1_000} s: ${what}`);
    await sleep(50);
  }
}
