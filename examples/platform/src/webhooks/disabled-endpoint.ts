import { healthy } from "@offers/contract/circuit-breaker";
import { sql } from "kysely";
import { writeMails } from "../mail/write-mails.ts";
import { lockSettling, wakeLanes } from "../outbox/queue.ts";
import { announce, type Store, type Trx } from "../store/store.ts";
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

/** Rows per transaction: a hundred thousand at once would block all other transactions for seconds. */
const batchSize = 1_000;

/**
 * Makes the deliveries due that an endpoint's failures have delayed, and starts their retry schedule again (D-73), because
 * the endpoint has passed its checks, perhaps at another address. If it stops half way, the other deliveries are attempted
 * at their own time.
 */
export async function restartSchedules(store: Store, organisationId: string): Promise<void> {
  let after: number | undefined = 0;
  while (after !== undefined) after = await restartBatch(store, organisationId, after);
}

/**
 * The lock waits for transactions that settle such a delivery or record one behind it, so that their results are restarted
 * too. Only a delivery with a due time was ever attempted: it is the oldest of its order key.
 *
 * @returns where the next batch begins; undefined when there is none
 */
function restartBatch(store: Store, organisationId: string, after: number): Promise<number | undefined> {
  return store.transaction(async (trx) => {
    await lockSettling(trx, "webhooks");
    const { rows } = await sql<{ sequence: number }>`
      update deliveries set attempts = 0, due_at = least(due_at, now())
      where organisation_id = ${organisationId} and sequence = any (array(
        select sequence from deliveries
        where organisation_id = ${organisationId} and due_at is not null and sequence > ${after}
          and (attempts > 0 or due_at > now())
        order by sequence
        limit ${batchSize}
        for update
      ))
      returning sequence`.execute(trx);
    if (rows.length > 0) {
      await wakeLanes(trx, "webhooks", [organisationId]);
      announce(trx, { topic: "delivery", organisationId });
    }
    if (rows.length < batchSize) return undefined;
    return Math.max(...rows.map(({ sequence }) => sequence));
  });
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
