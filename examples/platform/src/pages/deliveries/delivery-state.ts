import type { ShownState } from "../../delivery/shown-state.ts";
import { badge } from "../layout/badge.ts";
import type { Markup } from "../layout/markup.ts";

/** Labels of the states, in the order of a delivery's life. */
export const stateLabels: Readonly<Record<ShownState, string>> = {
  pending: "Pending",
  held: "Held",
  acknowledged: "Acknowledged",
  dead: "Failed",
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
      return attempts === 0 ? badge(stateLabels.pending, "none") : badge("Retrying", "warn");
  }
}
