import type { OffersError } from "./errors/offers-error.ts";
import type { Offer, Recipient } from "./offer.ts";
import type { CallOptions } from "./options.ts";
import { showCallPlace } from "./pipeline/call-place.ts";
import { callNames, checkCallOptions } from "./pipeline/check-options.ts";
import { systemClock } from "./pipeline/clock.ts";
import { defaultLimits, readLimits } from "./pipeline/limits.ts";

const names = [...callNames, "pollIntervalMs"];

/**
 * Reads again and again: gives every recipient, then those that differ from the read before, until nothing can change (D-62).
 *
 * @param place where the watch was asked for, which every error of it shows
 */
export async function* watchOffer(
  read: (call: CallOptions) => Promise<Offer>,
  options: CallOptions & { pollIntervalMs?: number | undefined } = {},
  place = new Error(),
): AsyncGenerator<Recipient, void, undefined> {
  try {
    checkCallOptions(options, names);
    const { pollIntervalMs: given, ...call } = options;
    const { pollIntervalMs } = readLimits({ pollIntervalMs: given }, defaultLimits);
    for (let known = new Set<string>(); ; ) {
      const { recipients, complete, widthdrawn } = await read(call);
      const texts = recipients.map((recipient) => JSON.stringify(recipient));
      yield* recipients.filter((_, index) => !known.has(texts[index] as string));
      known = new Set(texts);
      if (complete || widthdrawn) return;
      // Jitter, so that watchers who began together don't stay together.
      await systemClock.sleep(pollIntervalMs * (0.8 + 0.4 * systemClock.random()), call.signal);
    }
  } catch (thrown) {
    const error = thrown as OffersError;
    if (!error.operation) Object.assign(error, { operation: "GetOffer", message: `GetOffer: ${error.message}` });
    showCallPlace(error, place);
    throw error;
  }
}
