import { annotateError } from "../call/annotate-error.ts";
import { type CallOptionsWithSite, callSiteKey } from "../call/call-site.ts";
import type { Offer, Recipient } from "../contract/offer.ts";
import { isUnannotated } from "../errors/is-unannotated.ts";
import { callNames, checkCallOptions } from "../options/check-options.ts";
import type { CallOptions } from "../options/options.ts";
import { limitDefaults, readLimits } from "../options/read-limits.ts";
import { systemClock } from "../request/clock.ts";

const names = [...callNames, "pollIntervalMs"];

/**
 * Polls an offer: yields every recipient, then those that differ from the previous read, until nothing can change (D-62).
 *
 * @param callSite where the watch was started, for the stacks of its errors
 */
export async function* watchOffer(
  read: (options: CallOptions) => Promise<Offer>,
  options: CallOptions & { pollIntervalMs?: number | undefined } = {},
  callSite = new Error(),
): AsyncGenerator<Recipient, void, undefined> {
  try {
    checkCallOptions(options, names);
    const { pollIntervalMs: given, ...callOptions } = options;
    const { pollIntervalMs } = readLimits({ pollIntervalMs: given }, limitDefaults);
    const readOptions: CallOptionsWithSite = { ...callOptions, [callSiteKey]: callSite };
    for (let known = new Set<string>(); ; ) {
      const { recipients, complete, widthdrawn } = await read(readOptions);
      const texts = recipients.map((recipient) => JSON.stringify(recipient));
      yield* recipients.filter((_, index) => !known.has(texts[index] as string));
      known = new Set(texts);
      if (complete || widthdrawn) return;
      // Jitter, so that watchers that started together do not poll together.
      await systemClock.sleep(pollIntervalMs * (0.8 + 0.4 * systemClock.random()), options.signal);
    }
  } catch (thrown) {
    throw isUnannotated(thrown) ? annotateError(thrown, { operation: "GetOffer", attempts: 0, callSite }) : thrown;
  }
}
