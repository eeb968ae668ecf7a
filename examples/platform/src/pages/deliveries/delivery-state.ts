import type { ShownState } from "../../delivery/shown-state.ts";
import { badge } from "../layout/badge.ts";
import type { Markup } from "../layout/markup.ts";

/** What people call the states, in the order of a delivery's life. */
export const stateWords: Readonly<Record<ShownState, string>> = {
  pending: "Waiting",
  held: "Held",
  acknowledged: "Acknowledged",
  dead: "Given up",
};

export function deliveryState({ state, attempts }: { state: ShownState; attempts: number }): Markup {
  switch (state) {
    case "acknowledged":
      return badge(stateWords.acknowledged, "good");
    case "dead":
      return badge(stateWords.dead, "bad");
    case "held":
      return badge(stateWords.held, "warn");
    case "pending":
      return attempts === 0 ? badge(stateWords.pending, "hollow") : badge("Trying again", "warn");
  }
}
