import { compareDateTimes } from "@offers/contract/date-time";
import type { OfferEventValue } from "../../../store/tables.ts";
import { formatCount } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import type { LocalTimes } from "./time.ts";

/** Renders an offer's current or next time slot, or the last slot if all have ended, and the number of other slots. */
export function slotSummary({ timeSpan }: LocalTimes, events: readonly OfferEventValue[], now: Date): Markup | string {
  const sortedEvents = events.toSorted((a, b) => compareDateTimes(a.start, b.start));
  const slot = sortedEvents.find(({ end }) => compareDateTimes(end, now.toISOString()) > 0) ?? sortedEvents.at(-1);
  if (slot === undefined) return "–";
  const otherCount = events.length - 1;
  return html`${timeSpan(slot.start, slot.end)}${otherCount > 0 && html` <span class="fine">and ${formatCount(otherCount, "other time slot")}</span>`}`;
}
