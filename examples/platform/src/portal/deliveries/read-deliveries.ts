import { sql } from "kysely";
import { jsonObjectFrom } from "kysely/helpers/postgres";
import { isShownAs, type ShownState, shownState } from "../../delivery/shown-state.ts";
import { type ListKey, type ListPage, listCursor } from "../../lists/list-cursor.ts";
import type { PortalDeps } from "../person/portal-deps.ts";

export type ReadDelivery = Awaited<ReturnType<typeof readDeliveries>>["rows"][number];

export const deliveriesCursor = listCursor("deliveries", /^$/);

export const deliveryKey = ({ sequence }: { sequence: number }): ListKey => ({ position: sequence, id: "" });

export interface DeliveryFilter extends ListPage {
  state?: ShownState | undefined;
}

/** The organisation's latest deliveries, newest first, each with its event and its last attempt. */
export async function readDeliveries(deps: PortalDeps, organisationId: string, filter: DeliveryFilter) {
  const { state, before, limit } = filter;
  const read = await deliveries(deps, organisationId)
    .$if(state !== undefined, (query) => query.where(isShownAs(state ?? "pending")))
    .$if(before !== undefined, (query) => query.where("deliveries.sequence", "<", before?.position ?? 0))
    .orderBy("deliveries.sequence", "desc")
    .limit(limit + 1)
    .execute();
  return deliveriesCursor.cut(read, limit, deliveryKey);
}

/** One delivery of the organisation, or undefined. */
export const readDelivery = (deps: PortalDeps, organisationId: string, id: string) =>
  deliveries(deps, organisationId).where("deliveries.id", "=", id).executeTakeFirst();

/** Counted from 1 over all attempts of the delivery. */
export const attemptNumber = sql<number>`(row_number() over (partition by delivery_id order by id))::integer`.as(
  "number",
);

/** The attempts of a delivery, newest first. */
export const readAttempts = ({ store }: PortalDeps, deliveryId: string) =>
  store.db
    .selectFrom("attempts")
    .selectAll()
    .select(attemptNumber)
    .where("delivery_id", "=", deliveryId)
    .orderBy("id", "desc")
    .limit(100)
    .execute();

const deliveries = ({ store }: PortalDeps, organisationId: string) =>
  store.db
    .selectFrom("deliveries")
    .innerJoin("events", "events.id", "deliveries.event_id")
    .leftJoin("workers", (join) => join.on("workers.id", "=", sql<string>`events.data ->> 'workerId'`))
    .leftJoin("offers", (join) =>
      join
        .on("offers.id", "=", sql<string>`events.data ->> 'offerId'`)
        .onRef("offers.organisation_id", "=", "deliveries.organisation_id"),
    )
    .select(["deliveries.id", "deliveries.sequence", shownState.as("state"), "deliveries.attempts"])
    .select(["deliveries.due_at", "deliveries.settled_at", "deliveries.redelivery_of"])
    .select(["events.id as eventId", "events.type", "events.data", "events.created_at"])
    .select(["workers.name as workerName", "offers.title as offerTitle", "offers.id as offerId"])
    .select(({ selectFrom }) =>
      selectFrom("endpoints")
        .select("breaker_open_until")
        .whereRef("endpoints.organisation_id", "=", "deliveries.organisation_id")
        .as("pausedUntil"),
    )
    .select(({ selectFrom }) =>
      jsonObjectFrom(
        selectFrom("attempts")
          .select(["status", "error", "duration_ms as milliseconds"])
          .whereRef("delivery_id", "=", "deliveries.id")
          .orderBy("attempts.id", "desc")
          .limit(1),
      ).as("lastAttempt"),
    )
    .where("deliveries.organisation_id", "=", organisationId);
