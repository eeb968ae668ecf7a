import type { Offer, Recipient } from "./offer.ts";
import { systemClock } from "./pipeline/clock.ts";
import { defaultLimits } from "./pipeline/limits.ts";

/** Reads again and again: gives every recipient, then those that differ from the read before, until nothing can change (D-62). */
export async function* watchOffer(
  read: () => Promise<Offer>,
  intervalMs: number = defaultLimits.intervalMs,
  signal?: AbortSignal | undefined,
): AsyncGenerator<Recipient, void, undefined> {
  for (let known: string[] = []; ; ) {
    const { recipients, complete, widthdrawn } = await read();
    const before = known;
    known = recipients.map((recipient) => JSON.stringify(recipient));
    yield* recipients.filter((_, index) => !before.includes(known[index] as string));
    if (complete || widthdrawn) return;
    // Jitter, so that watchers who began together don't stay together.
    await systemClock.sleep(intervalMs * (0.8 + 0.4 * systemClock.random()), signal);
  }
}
