import { type CallContext, isFreshError, toOffersError } from "../errors/failure.ts";
import { watchIntervalMs } from "../generated/decisions.ts";
import type { Offer, Recipient } from "../offer.ts";
import type { CallOptions } from "../options/options.ts";
import { type CallSettings, maxTimerMs, readOptions } from "../options/settings.ts";
import { sleep } from "./with-timeout.ts";

/**
 * Polls an offer: yields every recipient, then those that differ from the previous read, until the offer is complete or withdrawn (D-62).
 */
export async function* watchOffer(
  readOffer: (options: CallOptions) => Promise<Offer>,
  defaults: CallSettings,
  options: CallOptions & { pollIntervalMs?: number | undefined } = {},
): AsyncGenerator<Recipient, void, undefined> {
  const call: CallContext = { operation: "GetOffer" };
  try {
    const { pollIntervalMs, ...callOptions } = readOptions(options, { ...defaults, pollIntervalMs: watchIntervalMs });
    let previousRecipients = new Set<string>();
    for (;;) {
      // `widthdrawn` is the contract's spelling.
      const { recipients, complete, widthdrawn } = await readOffer(callOptions);
      // Serialised before yielding, because the caller may modify the recipients.
      const serialised = recipients.map((recipient) => JSON.stringify(recipient));
      yield* recipients.filter((_, index) => !previousRecipients.has(serialised[index] as string));
      previousRecipients = new Set(serialised);
      if (complete || widthdrawn) return;
      // Jitter, so that clients that started together do not poll together.
      await sleep(call, Math.min(pollIntervalMs * (0.8 + 0.4 * Math.random()), maxTimerMs), callOptions.signal);
    }
  } catch (thrown) {
    // `readOffer` already throws errors that `toOffersError` has prepared.
    throw isFreshError(thrown) ? toOffersError(thrown, call) : thrown;
  }
}
