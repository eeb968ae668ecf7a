import type { OfferEventValue } from "../../store/tables.ts";
import { timeFormats } from "../../time-zones/time-formats.ts";
import { defaultTimeZone } from "../../time-zones/time-zone.ts";
import { lineInMail } from "./line-in-mail.ts";

/** The work of an offer, as lines of a mail or a push. */
export interface OfferSummary {
  events: readonly OfferEventValue[];
  /** Its name, or its id while it has none; empty without a place. */
  place: string;
  /** Of the reader; null while it is unknown. */
  timeZone: string | null;
}

/** More time slots than this are counted. */
const shownSlots = 5;

/** `When: Fri, 5 Mar 2027, 17:00–23:00 GMT`, a line per time slot, and `Where: …`. */
export function offerSummary({ events, place: name, timeZone }: OfferSummary): string[] {
  const { span } = timeFormats(timeZone ?? defaultTimeZone);
  const inOrder = events.toSorted((one, other) => Date.parse(one.start) - Date.parse(other.start));
  const slots = inOrder.slice(0, shownSlots).map(({ start, end }) => `When: ${span(new Date(start), new Date(end))}`);
  const more = events.length - slots.length;
  const place = lineInMail(name);
  return [...slots, ...(more > 0 ? [`and ${more} more time slots`] : []), ...(place === "" ? [] : [`Where: ${place}`])];
}
