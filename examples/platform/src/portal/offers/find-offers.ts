import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Listed, type ListPage, listCursor } from "../../lists/list-cursor.ts";
import { microsecondsOf, olderThan, youngerThan } from "../../lists/older-than.ts";
import { offerFlags } from "../../offers/read-offer.ts";
import { containsPattern } from "../../store/contains-pattern.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";
import { responses } from "./read-offers.ts";

/** `decision`: a worker applied, and the offer is neither complete, withdrawn nor past (D-116). */
export const offerStates = ["decision", "open", "past", "complete", "withdrawn"] as const;
export type OfferStateFilter = (typeof offerStates)[number];

/** By the time of the work. */
export const offerTimes = ["upcoming", "past"] as const;

export interface OfferFilter {
  state?: OfferStateFilter | undefined;
  time?: (typeof offerTimes)[number] | undefined;
  /** Part of the title or of a worker's name. */
  text?: string | undefined;
}

export type FoundOffer = Awaited<ReturnType<typeof findOffers>>["rows"][number];

/** The newest first, or by the time of the work: a cursor of one order means nothing in the other. */
export const newestOffersCursor = listCursor("offers", /./);
export const workTimeCursor = listCursor("offersByWorkTime", /./);

const orderOf = ({ state, time }: OfferFilter) => {
  if (time === "past") return { cursor: workTimeCursor, column: "offers.work_from", direction: "desc" } as const;
  if (time === "upcoming" || state === "decision")
    return { cursor: workTimeCursor, column: "offers.work_from", direction: "asc" } as const;
  return { cursor: newestOffersCursor, column: "offers.created_at", direction: "desc" } as const;
};

export const offersCursor = (filter: OfferFilter) => orderOf(filter).cursor;

/**
 * The matching offers of the person's organisations: the newest first; those that need a decision and upcoming ones by the start of
 * the work, the next first; past ones likewise, the last first (D-116).
 */
export async function findOffers(
  { store: { db }, now }: PortalDeps,
  { organisationIds }: SignedInPerson,
  filter: OfferFilter,
  { before, limit }: ListPage,
) {
  const at = now();
  const { cursor, column, direction } = orderOf(filter);
  const conditions: RawBuilder<SqlBool>[] = [
    ...(filter.state === undefined ? [] : stateConditions[filter.state](at)),
    ...(filter.time === undefined ? [] : [filter.time === "past" ? isPast(at) : notPast(at)]),
    ...(filter.text === undefined ? [] : [await contains(db, filter.text)]),
    (direction === "asc" ? youngerThan : olderThan)([column, "offers.id"], before),
  ];
  const read = await db
    .selectFrom("offers")
    .innerJoin("organisations", "organisations.id", "offers.organisation_id")
    .select(["offers.id", "title", "offers.created_at as createdAt", "events", "location_place_id as locationPlaceId"])
    .select(["ends_at", "completed_at", "withdrawn_at", "organisations.name as organisationName"])
    .select(microsecondsOf(column).as("position"))
    .select(responses)
    .where("offers.organisation_id", "in", organisationIds)
    .where(sql.join<SqlBool>(conditions, sql` and `))
    .orderBy(column, direction)
    .orderBy("offers.id", direction)
    .limit(limit + 1)
    .execute();
  const cut: Listed<(typeof read)[number]> = cursor.cut(read, limit, (row) => row);
  return { ...cut, rows: cut.rows.map((row) => ({ ...row, ...offerFlags(row, at) })) };
}

// D-06: an offer without events is never past.
// What has ended has begun: the index on the start then skips what is ahead.
const isPast = (at: Date) => sql<SqlBool>`(ends_at <= ${at} and work_from <= ${at})`;
const notPast = (at: Date) => sql<SqlBool>`(ends_at is null or ends_at > ${at})`;
const isOpen = sql<SqlBool>`completed_at is null and withdrawn_at is null`;
const isApplied = sql<SqlBool>`exists (select from recipients where offer_id = offers.id and response = 'applied')`;

const stateConditions: Record<OfferStateFilter, (at: Date) => RawBuilder<SqlBool>[]> = {
  decision: (at) => [isOpen, notPast(at), isApplied],
  open: (at) => [isOpen, notPast(at)],
  past: (at) => [isOpen, isPast(at)],
  complete: () => [sql`completed_at is not null and withdrawn_at is null`],
  withdrawn: () => [sql`withdrawn_at is not null`],
};

/** More matching workers than this are looked for in each offer; the offers of fewer are found by an index. */
const fewWorkers = 50;

async function contains(db: PortalDeps["store"]["db"], text: string): Promise<RawBuilder<SqlBool>> {
  const pattern = containsPattern(text);
  const workers = await db
    .selectFrom("workers")
    .select("id")
    .where("name", "ilike", pattern)
    .limit(fewWorkers + 1)
    .execute();
  const ofWorkers =
    workers.length > fewWorkers
      ? // With `limit` the planner asks the index for each offer; it would hash all recipients of all offers for `exists`.
        sql`coalesce((
          select true from recipients join workers on workers.id = worker_id
          where offer_id = offers.id and workers.name ilike ${pattern} limit 1), false)`
      : sql`offers.id in (
          select offer_id from recipients
          where worker_id in (select json_array_elements_text(${JSON.stringify(workers.map(({ id }) => id))}::text::json)))`;
  return sql`(title ilike ${pattern} or ${ofWorkers})`;
}
