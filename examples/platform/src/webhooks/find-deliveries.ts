import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { containsPattern } from "../store/contains-pattern.ts";
import type { EventType, Tables } from "../store/tables.ts";
import { isShownAs, type ShownState } from "./disabled-endpoint.ts";
import { responseOrderKey } from "./record-event.ts";

/** Selects an organisation's deliveries (D-124). */
export interface DeliveryFilter {
  state?: ShownState | undefined;
  type?: EventType | undefined;
  /** The status of the last attempt. */
  status?: number | undefined;
  /** The failure code of the last attempt. */
  error?: string | undefined;
  /** Selects events created at this time or later. */
  since?: Date | undefined;
  /** Selects events created before this time. */
  until?: Date | undefined;
  /** Part of the worker's name or the offer's title, or the id of the worker, offer, delivery or event. */
  text?: string | undefined;
  /** Selects only these deliveries. */
  ids?: readonly string[] | undefined;
}

/** Builds a query for the organisation's deliveries, joined with their events and, if they exist, their workers and offers. */
export const deliveryQuery = (db: Kysely<Tables>, organisationId: string) =>
  db
    .selectFrom("deliveries")
    .innerJoin("events", "events.id", "deliveries.event_id")
    .leftJoin("workers", (join) => join.on("workers.id", "=", sql<string>`events.data ->> 'workerId'`))
    .leftJoin("offers", (join) =>
      join
        .on("offers.id", "=", sql<string>`events.data ->> 'offerId'`)
        .onRef("offers.organisation_id", "=", "deliveries.organisation_id"),
    )
    .where("deliveries.organisation_id", "=", organisationId);

/** Builds a SQL condition that selects the matching rows of `deliveryQuery`. */
export async function toFilterCondition(
  db: Kysely<Tables>,
  organisationId: string,
  { state, type, status, error, since, until, text, ids }: DeliveryFilter,
): Promise<RawBuilder<SqlBool>> {
  const conditions: RawBuilder<SqlBool>[] = [];
  if (ids !== undefined) conditions.push(sql`deliveries.id in ${jsonArray(ids)}`);
  if (state !== undefined) conditions.push(isShownAs(state));
  if (type !== undefined) conditions.push(sql`events.type = ${type}`);
  if (status !== undefined) conditions.push(hasLastStatus(status));
  if (error !== undefined) conditions.push(sql`last_error = ${error}`);
  if (since !== undefined) conditions.push(sql`events.created_at >= ${since}`);
  if (until !== undefined) conditions.push(sql`events.created_at < ${until}`);
  if (text !== undefined) conditions.push(await toTextCondition(db, organisationId, text));
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

const jsonArray = (ids: readonly string[]) =>
  sql`(select json_array_elements_text(${JSON.stringify(ids)}::text::json))`;

/**
 * Builds a condition for the status of the last attempt. For a status other than 200, the condition includes `last_error is not null`,
 * so that PostgreSQL can use the index on status, which contains only failures. Only 200 acknowledges a delivery (D-13).
 */
const hasLastStatus = (status: number) =>
  status === 200 ? sql<SqlBool>`last_status = 200` : sql<SqlBool>`(last_status = ${status} and last_error is not null)`;

/** If at most this many workers and offers match, an index finds their deliveries. Otherwise, the query checks each delivery. */
const maxIndexedMatches = 50;

/**
 * Builds a condition for a search text. If the text is the id of a delivery or an event, finds only its deliveries. Otherwise, finds the
 * deliveries for matching workers and offers by order key, because event data is not indexed. If too many match, checks each delivery.
 */
async function toTextCondition(db: Kysely<Tables>, organisationId: string, text: string): Promise<RawBuilder<SqlBool>> {
  const deliveriesWithId = await db
    .selectFrom("deliveries")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where((where) => where.or([where("id", "=", text), where("event_id", "=", text)]))
    .execute();
  const toIdArray = (rows: readonly { id: string }[]) => jsonArray(rows.map(({ id }) => id));
  if (deliveriesWithId.length > 0) return sql`deliveries.id in ${toIdArray(deliveriesWithId)}`;
  const pattern = containsPattern(text);
  const workers = await db
    .selectFrom("workers")
    .select("id")
    .where((where) => where.or([where("name", "ilike", pattern), where("id", "=", text)]))
    .limit(maxIndexedMatches + 1)
    .execute();
  const offers = await db
    .selectFrom("offers")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where((where) => where.or([where("title", "ilike", pattern), where("id", "=", text)]))
    .limit(maxIndexedMatches + 1)
    .execute();
  if (workers.length > maxIndexedMatches || offers.length > maxIndexedMatches)
    return sql`(workers.name ilike ${pattern} or offers.title ilike ${pattern})`;
  const respondedKeys = sql`
    select ${responseOrderKey} from recipients join offers on offers.id = offer_id
    where responded_at is not null and offers.organisation_id = ${organisationId}`;
  return sql`deliveries.order_key = any (array(
    ${respondedKeys} and worker_id in ${toIdArray(workers)}
    union ${respondedKeys} and offer_id in ${toIdArray(offers)}
    union select id from events where type = 'workerAddedContact' and data ->> 'workerId' in ${toIdArray(workers)}))`;
}
