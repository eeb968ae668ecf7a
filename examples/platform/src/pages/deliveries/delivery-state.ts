import type { ShownState } from "../../delivery/shown-state.ts";
import { badge } from "../layout/badge.ts";
import type { Markup } from "../layout/markup.ts";

/** What people call the states, in the order of a delivery's life. */
export const stateLabels: Readonly<Record<ShownState, string>> = {
  pending: "Waiting",
  held: "Held",
  acknowledged: "Acknowledged",
  dead: "Given up",
};

export function deliveryState({ state, attempts }: { state: ShownState; attempts: number }): Markup {
  switch (state) {
    case "acknowledged":
      return badge(stateLabels.acknowledged, "good");
    case "dead":
      return badge(stateLabels.dead, "bad");
    case "held":
      return badge(stateLabels.held, "warn");
    case "pending":
      return attempts === 0 ? badge(stateLabels.pending, "none") : badge("Trying again", "warn");
  }
}
