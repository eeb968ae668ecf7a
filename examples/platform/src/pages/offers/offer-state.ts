import { badge } from "../layout/badge.ts";
import type { Markup } from "../layout/markup.ts";

interface OfferFlags {
  complete: boolean;
  widthdrawn: boolean;
  isHistoric: boolean;
}

/** The state of an offer as a badge. */
export function offerState({ complete, widthdrawn, isHistoric }: OfferFlags): Markup {
  if (widthdrawn) return badge("Withdrawn", "bad");
  if (complete) return badge("Complete", "good");
  return isHistoric ? badge("Open, but past", "warn") : badge("Open", "none");
}
