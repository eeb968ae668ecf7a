import { sql } from "kysely";
import type { DeliveryState } from "../../store/tables.ts";

/** A delivery's state as people see it: what is pending for an endpoint that is disabled or removed is held. */
export type ShownState = DeliveryState | "held";

const isHeld = sql<boolean>`(deliveries.state = 'pending' and not exists (
  select from endpoints where endpoints.organisation_id = deliveries.organisation_id and disabled_at is null))`;

export const shownState = sql<ShownState>`case when ${isHeld} then 'held' else deliveries.state end`;

/** Over deliveries: whether they are shown in this state. */
export function isShownAs(state: ShownState) {
  if (state === "held") return isHeld;
  const isState = sql<boolean>`deliveries.state = ${state}`;
  return state === "pending" ? sql<boolean>`(${isState} and not ${isHeld})` : isState;
}
