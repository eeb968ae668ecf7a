import { healthy } from "@offers/contract/circuit-breaker";
import { sql } from "kysely";
import { writeMails } from "../mail/write-mails.ts";
import { wakeLanes } from "../outbox/queue.ts";
import { announce, type Trx } from "../store/store.ts";
import type { DeliveryState, DisabledBecause } from "../store/tables.ts";
import { healthRow } from "./endpoint-health.ts";

/** Mails each person of the organisation that the endpoint is disabled (D-73), in the transaction that disables it. */
export async function notifyEndpointDisabled(
  trx: Trx,
  organisationId: string,
  because: DisabledBecause,
): Promise<void> {
  const people = await trx
    .selectFrom("people")
    .innerJoin("person_email_addresses", "person_id", "people.id")
    .innerJoin("organisations", "organisations.id", "people.organisation_id")
    .distinctOn("people.id")
    .select(["people.name", "email_address as address", "organisations.name as organisation"])
    .where("people.organisation_id", "=", organisationId)
    .orderBy("people.id")
    .orderBy("email_address")
    .execute();
  const mails = people.map(({ name, address, organisation }) => ({
    to_address: address,
    subject: `${organisation}: your webhooks are switched off`,
    body: `Dear ${name},\n\n${reasons[because]}, so we call it no more. Nothing is lost: what happens meanwhile is \
kept, and delivered in its order once you save your company profile again or switch the endpoint on there.\n`,
  }));
  await writeMails(trx, mails);
}

const reasons: Record<DisabledBecause, string> = {
  gone: "Your organisation's webhook endpoint responded that it is gone for good (410)",
  failing:
    "Your organisation's webhook endpoint has acknowledged nothing for five days (only a response with 200 does; 204, which many frameworks send for a handler that returns nothing, does not)",
};

/**
 * Enables an endpoint that passed its checks (D-73): it counts as healthy. Announces the change. After the commit call
 * `restartSchedules`.
 */
export async function enableEndpoint(trx: Trx, organisationId: string): Promise<void> {
  await trx.updateTable("endpoints").set(healthRow(healthy)).where("organisation_id", "=", organisationId).execute();
  announce(trx, { topic: "endpoint", organisationId }, { topic: "delivery", organisationId });
  await wakeLanes(trx, "webhooks", [organisationId]);
}

/** A delivery's state as the portal shows it: a pending delivery whose endpoint is disabled or removed is shown as held. */
export type ShownState = DeliveryState | "held";

const isHeld = sql<boolean>`(deliveries.state = 'pending' and not exists (
  select from endpoints where endpoints.organisation_id = deliveries.organisation_id and disabled_at is null))`;

export const shownState = sql<ShownState>`case when ${isHeld} then 'held' else deliveries.state end`;

/** A condition on deliveries: whether they are shown in this state. */
export function isShownAs(state: ShownState) {
  if (state === "held") return isHeld;
  const isState = sql<boolean>`deliveries.state = ${state}`;
  return state === "pending" ? sql<boolean>`(${isState} and not ${isHeld})` : isState;
}
