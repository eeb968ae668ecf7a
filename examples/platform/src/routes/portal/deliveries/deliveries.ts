import { type SqlBool, sql } from "kysely";
import { jsonObjectFrom } from "kysely/helpers/postgres";
import { type ListPage, listCursor } from "../../../http/list-cursor.ts";
import { containsPattern } from "../../../store/contains-pattern.ts";
import type { EventType } from "../../../store/tables.ts";
import { isShownAs, type ShownState, shownState } from "../../../webhooks/disabled-endpoint.ts";
import { responseOrderKey } from "../../../webhooks/record-event.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";

export type ReadDelivery = Awaited<ReturnType<typeof readDeliveries>>["rows"][number];
export type ReadAttempt = Awaited<ReturnType<typeof readAttempts>>[number];

export const deliveriesCursor = listCursor("deliveries", /^$/);

export interface DeliveryFilter extends ListPage {
  state?: ShownState | undefined;
  type?: EventType | undefined;
  /** Of the last attempt. */
  status?: number | undefined;
  /** Failure code of the last attempt. */
  error?: string | undefined;
  /** Events created at this time or later. */
  since?: Date | undefined;
  /** Events created before this time. */
  until?: Date | undefined;
  /** Part of the worker's name or of the offer's title, or the id of either. */
  text?: string | undefined;
  /** @default false: the newest first */
  oldestFirst?: boolean | undefined;
}

/** The organisation's deliveries that match (D-124), each with its event and its last attempt. */
export async function readDeliveries(deps: PortalDeps, { organisationId }: SignedInPerson, filter: DeliveryFilter) {
  const { state, type, status, error, since, until, text, oldestFirst = false, before, limit } = filter;
  const isMatch = text === undefined ? undefined : await matches(deps, organisationId, text);
  const read = await deliveries(deps, organisationId)
    .$if(isMatch !== undefined, (query) => query.where(isMatch ?? sql<SqlBool>`true`))
    .$if(state !== undefined, (query) => query.where(isShownAs(state ?? "pending")))
    .$if(type !== undefined, (query) => query.where("events.type", "=", type ?? "workerOfferResponse"))
    .$if(status !== undefined, (query) => query.where(hasLastStatus(status ?? 0)))
    .$if(error !== undefined, (query) => query.where("last_error", "=", error ?? ""))
    .$if(since !== undefined, (query) => query.where("events.created_at", ">=", since ?? new Date()))
    .$if(until !== undefined, (query) => query.where("events.created_at", "<", until ?? new Date()))
    .$if(before !== undefined, (query) =>
      query.where("deliveries.sequence", oldestFirst ? ">" : "<", before?.position ?? 0),
    )
    .orderBy("deliveries.sequence", oldestFirst ? "asc" : "desc")
    .limit(limit + 1)
    .execute();
  return deliveriesCursor.cut(read, limit, ({ sequence }) => ({ position: sequence, id: "" }));
}

/** Only 200 acknowledges (D-13). The index by status holds failures alone, since most deliveries have none. */
const hasLastStatus = (status: number) =>
  status === 200 ? sql<boolean>`last_status = 200` : sql<boolean>`(last_status = ${status} and last_error is not null)`;

/** Up to so many matching workers and offers, their deliveries are found by an index; of more, each delivery is looked at. */
const fewMatches = 50;

/** Of the workers and offers that match, by the order keys of their deliveries: events have no index by what is in them. */
async function matches({ store: { db } }: PortalDeps, organisationId: string, text: string) {
  const pattern = containsPattern(text);
  const workers = await db
    .selectFrom("workers")
    .select("id")
    .where((where) => where.or([where("name", "ilike", pattern), where("id", "=", text)]))
    .limit(fewMatches + 1)
    .execute();
  const offers = await db
    .selectFrom("offers")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where((where) => where.or([where("title", "ilike", pattern), where("id", "=", text)]))
    .limit(fewMatches + 1)
    .execute();
  if (workers.length > fewMatches || offers.length > fewMatches)
    return sql<SqlBool>`(workers.name ilike ${pattern} or offers.title ilike ${pattern})`;
  const idsOf = (rows: readonly { id: string }[]) =>
    sql`(select json_array_elements_text(${JSON.stringify(rows.map(({ id }) => id))}::text::json))`;
  const responded = sql`
    select ${responseOrderKey} from recipients join offers on offers.id = offer_id
    where responded_at is not null and offers.organisation_id = ${organisationId}`;
  return sql<SqlBool>`deliveries.order_key = any (array(
    ${responded} and worker_id in ${idsOf(workers)}
    union ${responded} and offer_id in ${idsOf(offers)}
    union select id from events where type = 'workerAddedContact' and data ->> 'workerId' in ${idsOf(workers)}))`;
}

/** The same with every attempt, as the JSON route returns it. */
async function readDeliveriesAndAttempts(deps: PortalDeps, person: SignedInPerson, filter: DeliveryFilter) {
  const { rows, next } = await readDeliveries(deps, person, filter);
  const ids = rows.map(({ id }) => id);
  const attempts = new Map(ids.map((id): [string, object[]] => [id, []]));
  for (const attempt of ids.length > 0 ? await readAttempts(deps, ids) : []) {
    const { id: _, deliveryId, response, contentType, ...shown } = attempt;
    attempts.get(deliveryId)?.push(shown);
  }
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

/** One delivery of the organisation, or undefined. */
export const readDelivery = (deps: PortalDeps, organisationId: string, id: string) =>
  deliveries(deps, organisationId).where("deliveries.id", "=", id).executeTakeFirst();

/** The attempts of deliveries, oldest first. They are numbered from 1 per delivery. */
export const readAttempts = ({ store }: PortalDeps, deliveryIds: readonly string[]) =>
  store.db
    .selectFrom("attempts")
    .select(["id", "delivery_id as deliveryId", "method", "path", "started_at as startedAt", "status", "error"])
    .select(["duration_ms as milliseconds", "response", "content_type as contentType"])
    .select(sql<number>`(row_number() over (partition by delivery_id order by id))::integer`.as("number"))
    .where("delivery_id", "in", deliveryIds)
    .orderBy("id")
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
    // All of them: `deliveries.attempts` begins again with each retry schedule.
    .select(sql<number>`(select count(*)::integer from attempts where delivery_id = deliveries.id)`.as("attempts"))
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
