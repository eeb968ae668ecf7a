import { healthy } from "@offers/contract/circuit-breaker";
import { sql } from "kysely";
import { wakeLanes } from "../outbox/queue.ts";
import { announce, type Trx } from "../store/store.ts";
import type { DeliveryState } from "../store/tables.ts";
import { toHealthRow } from "./endpoint-health.ts";
import { emailEndpointRecovered, type LinkTo } from "./endpoint-mails.ts";

/**
 * Enables an endpoint that has passed its checks (D-73), marks it as healthy, announces the change, and emails the users if an earlier
 * email reported that the endpoint failed. Call `restartSchedules` after the commit.
 */
export async function enableEndpoint(trx: Trx, organisationId: string, linkTo: LinkTo): Promise<void> {
  const previousHealth = await trx
    .selectFrom("endpoints")
    .select(["failing_since", "disabled_at"])
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  await trx.updateTable("endpoints").set(toHealthRow(healthy)).where("organisation_id", "=", organisationId).execute();
  announce(trx, { topic: "endpoint", organisationId }, { topic: "delivery", organisationId });
  await wakeLanes(trx, "webhooks", [organisationId]);
  const failedSince = previousHealth?.failing_since ?? previousHealth?.disabled_at;
  if (failedSince) await emailEndpointRecovered(trx, organisationId, failedSince, linkTo);
}

/** A delivery's state in the portal. A pending delivery is `held` if its endpoint is disabled or removed. */
export type ShownState = DeliveryState | "held";

const isHeld = sql<boolean>`(deliveries.state = 'pending' and not exists (
  select from endpoints where endpoints.organisation_id = deliveries.organisation_id and disabled_at is null))`;

/** A SQL expression for the state in which the portal shows a delivery. */
export const shownState = sql<ShownState>`case when ${isHeld} then 'held' else deliveries.state end`;

/** Builds a SQL condition for deliveries that the portal shows in this state. */
export function isShownAs(state: ShownState) {
  if (state === "held") return isHeld;
  const isState = sql<boolean>`deliveries.state = ${state}`;
  return state === "pending" ? sql<boolean>`(${isState} and not ${isHeld})` : isState;
}
