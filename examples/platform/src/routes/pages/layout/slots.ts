import type { OfferEventValue } from "../../../store/tables.ts";
import { counted } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import type { LocalTimes } from "./time.ts";

/** Shows an offer's next or last time slot, and how many others there are. */
export function slotsOf({ timeSpan }: LocalTimes, events: readonly OfferEventValue[], now: Date): Markup | string {
  const inOrder = events.toSorted((one, other) => Date.parse(one.start) - Date.parse(other.start));
  const slot = inOrder.find(({ end }) => new Date(end) > now) ?? inOrder.at(-1);
  if (slot === undefined) return "–";
  const others = events.length - 1;
  return html`${timeSpan(slot.start, slot.end)}${others > 0 && html` <span class="fine">and ${counted(others, "other time slot")}</span>`}`;
}
