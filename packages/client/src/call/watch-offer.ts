import { type CallContext, isFreshError, toOffersError } from "../errors/failure.ts";
import { watchIntervalMs } from "../generated/decisions.ts";
import type { Offer, Recipient } from "../offer.ts";
import type { CallOptions } from "../options/options.ts";
import { type CallSettings, longestMs, readOptions } from "../options/settings.ts";
import { sleep } from "./with-timeout.ts";

/** Polls an offer: yields every recipient, then those that differ from the previous read, until nothing more can change (D-62). */
export async function* watchOffer(
  readOffer: (options: CallOptions) => Promise<Offer>,
  defaults: CallSettings,
  options: CallOptions & { pollIntervalMs?: number | undefined } = {},
): AsyncGenerator<Recipient, void, undefined> {
  const call: CallContext = { operation: "GetOffer" };
  try {
    const { pollIntervalMs, ...callOptions } = readOptions(options, { ...defaults, pollIntervalMs: watchIntervalMs });
    for (let previous = new Set<string>(); ; ) {
      const { recipients, complete, widthdrawn } = await readOffer(callOptions);
      const serialized = recipients.map((recipient) => JSON.stringify(recipient));
      yield* recipients.filter((_, index) => !previous.has(serialized[index] as string));
      previous = new Set(serialized);
      if (complete || widthdrawn) return;
      // Jitter, so that watchers that started together do not poll together.
      await sleep(call, Math.min(pollIntervalMs * (0.8 + 0.4 * Math.random()), longestMs), callOptions.signal);
    }
  } catch (thrown) {
    // The error from a failed read is already complete.
    throw isFreshError(thrown) ? toOffersError(thrown, call) : thrown;
  }
}
