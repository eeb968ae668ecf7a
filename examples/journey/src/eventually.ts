import { setTimeout as sleep } from "node:timers/promises";

/** Asks until `look` finds something, and says what was missed when it does not in time. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  limitMs = 60_000,
) {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1_000} s: ${what}`);
    await sleep(50);
  }
}
