import type { OfferEventValue } from "../../../store/tables.ts";
import { counted } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import type { LocalTimes } from "./time.ts";

/** Shows an offer's next time slot, or the last one if all have ended, and the number of others. */
export function slotSummary({ timeSpan }: LocalTimes, events: readonly OfferEventValue[], now: Date): Markup | string {
  const inOrder = events.toSorted((a, b) => Date.parse(a.start) - Date.parse(b.start));
  const slot = inOrder.find(({ end }) => new Date(end) > now) ?? inOrder.at(-1);
  if (slot === undefined) return "–";
  const others = events.length - 1;
  return html`${timeSpan(slot.start, slot.end)}${others > 0 && html` <span class="fine">and ${counted(others, "other time slot")}</span>`}`;
}
