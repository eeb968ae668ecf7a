import { sql } from "kysely";
import { jsonObjectFrom } from "kysely/helpers/postgres";
import { createListCursor, type ListPage } from "../../../http/list-cursor.ts";
import { shownState } from "../../../webhooks/disabled-endpoint.ts";
import { type DeliveryFilter, deliveryQuery, toFilterCondition } from "../../../webhooks/find-deliveries.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";

export type DeliveryRow = Awaited<ReturnType<typeof readDeliveries>>["rows"][number];
export type AttemptRow = Awaited<ReturnType<typeof readAttempts>>[number];

export const deliveriesCursor = createListCursor("deliveries", /^$/);

/** The filter, page and order of a list of deliveries. */
type DeliveryQuery = DeliveryFilter &
  ListPage & {
    /** @default false: newest first */
    oldestFirst?: boolean | undefined;
  };

/** Reads the organisation's matching deliveries (D-124), each with its event and its last attempt. */
export async function readDeliveries(
  deps: PortalDeps,
  { organisationId }: SignedInPerson,
  { before, limit, oldestFirst = false, ...filter }: DeliveryQuery,
) {
  const deliveries = await portalDeliveryQuery(deps, organisationId)
    .where(await toFilterCondition(deps.store.db, organisationId, filter))
    .$if(before !== undefined, (query) =>
      query.where("deliveries.sequence", oldestFirst ? ">" : "<", before?.position ?? 0),
    )
    .orderBy("deliveries.sequence", oldestFirst ? "asc" : "desc")
    .limit(limit + 1)
    .execute();
  return deliveriesCursor.toPage(deliveries, limit, ({ sequence }) => ({ position: sequence, id: "" }));
}

/** Reads deliveries with all of their attempts, for the JSON route. */
async function readDeliveriesAndAttempts(deps: PortalDeps, person: SignedInPerson, query: DeliveryQuery) {
  const { rows, next } = await readDeliveries(deps, person, query);
  const ids = rows.map(({ id }) => id);
  const attemptRows = ids.length > 0 ? await attemptQuery(deps, ids).execute() : [];
  const attempts = new Map(ids.map((id): [string, object[]] => [id, []]));
  for (const { id: _, deliveryId, ...attempt } of attemptRows) attempts.get(deliveryId)?.push(attempt);
  const views = rows.map(({ id, eventId, type, data, state, redeliveryOf, createdAt, nextAttemptAt }) => ({
    id,
    eventId,
    type,
    data,
    state,
    redeliveryOf,
    createdAt,
    nextAttemptAt,
    attempts: attempts.get(id),
  }));
  return { rows: views, next };
}

export const deliveryList = { cursor: deliveriesCursor, read: readDeliveriesAndAttempts };

/** Reads one of the organisation's deliveries. Resolves with undefined if no delivery has this id. */
export const readDelivery = (deps: PortalDeps, organisationId: string, id: string) =>
  portalDeliveryQuery(deps, organisationId).where("deliveries.id", "=", id).executeTakeFirst();

/** Returns the ids of the deliveries recorded just before and after the delivery with this sequence number, if any. */
export async function readNeighbours({ store: { db } }: PortalDeps, organisationId: string, sequence: number) {
  const findNeighbour = (isLater: boolean) =>
    db
      .selectFrom("deliveries")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where("sequence", isLater ? ">" : "<", sequence)
      .orderBy("sequence", isLater ? "asc" : "desc")
      .limit(1)
      .executeTakeFirst();
  return { later: (await findNeighbour(true))?.id, earlier: (await findNeighbour(false))?.id };
}

/** Reads a delivery's attempts, with requests and responses. */
export const readAttempts = (deps: PortalDeps, deliveryId: string) =>
  attemptQuery(deps, [deliveryId]).select(["response", "content_type as contentType", "exchange"]).execute();

/** Builds a query for the deliveries' attempts, oldest first, numbered from 1 within each delivery. */
const attemptQuery = ({ store }: PortalDeps, deliveryIds: readonly string[]) =>
  store.db
    .selectFrom("attempts")
    .select(["id", "delivery_id as deliveryId", "method", "path", "started_at as startedAt", "status", "error"])
    .select("duration_ms as milliseconds")
    .select(sql<number>`(row_number() over (partition by delivery_id order by id))::integer`.as("number"))
    .where("delivery_id", "in", deliveryIds)
    .orderBy("id");

const portalDeliveryQuery = ({ store }: PortalDeps, organisationId: string) =>
  deliveryQuery(store.db, organisationId)
    .select(["deliveries.id", "deliveries.sequence", shownState.as("state")])
    .select(["deliveries.due_at as nextAttemptAt", "deliveries.settled_at as settledAt"])
    .select(["deliveries.redelivery_of as redeliveryOf", "events.created_at as createdAt"])
    .select(["events.id as eventId", "events.type", "events.data"])
    .select(["workers.name as workerName", "offers.title as offerTitle", "offers.id as offerId"])
    .select(({ selectFrom }) =>
      selectFrom("endpoints")
        .select("breaker_open_until")
        .whereRef("endpoints.organisation_id", "=", "deliveries.organisation_id")
        .as("pausedUntil"),
    )
    // Count all attempts: `deliveries.attempts` starts again with each retry schedule.
    .select(sql<number>`(select count(*)::integer from attempts where delivery_id = deliveries.id)`.as("attempts"))
    .select(({ selectFrom }) =>
      jsonObjectFrom(
        selectFrom("attempts")
          .select(["status", "error", "duration_ms as milliseconds"])
          .whereRef("delivery_id", "=", "deliveries.id")
          .orderBy("attempts.id", "desc")
          .limit(1),
      ).as("lastAttempt"),
    );
