import { type RawBuilder, type SqlBool, sql } from "kysely";
import { epochMicroseconds, infinitePosition, newerThan, olderThan } from "../../../http/keyset.ts";
import { createListCursor, type ListKey, type ListPage, type RowPage } from "../../../http/list-cursor.ts";
import { offerFlags } from "../../../offers/read-offer.ts";
import { containsPattern } from "../../../store/contains-pattern.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";
import { responseCounts } from "./read-offers.ts";

/** `decision` means that a worker has applied, and the offer is not complete, withdrawn or past (D-116). */
export const offerStates = ["decision", "open", "past", "complete", "withdrawn"] as const;
export type OfferStateFilter = (typeof offerStates)[number];

/** The options of the filter by when the work takes place. */
export const offerTimes = ["upcoming", "past"] as const;

/** The sort orders: by when the offer was created, or by when the work starts. In the latter, offers without a date come last. */
export const offerOrders = ["newest", "oldest", "nextWork", "lastWork"] as const;
export type OfferOrder = (typeof offerOrders)[number];

export interface OfferFilter {
  state?: OfferStateFilter | undefined;
  time?: (typeof offerTimes)[number] | undefined;
  /** Part of the title or a worker's name, or the id of the offer or a worker. */
  text?: string | undefined;
  /** Selects work that ends after this time. */
  from?: Date | undefined;
  /** Selects work that starts before this time. */
  until?: Date | undefined;
  /** @default next work first for upcoming work and decisions, latest work first for past work, otherwise newest offer first */
  order?: OfferOrder | undefined;
}

export type FoundOffer = Awaited<ReturnType<typeof findOffers>>["rows"][number];

/** Each sort column has its own cursor, because a position in one column is meaningless in the other. */
export const newestOffersCursor = createListCursor("offers", /./);
export const workTimeCursor = createListCursor("offersByWorkTime", /./);

export function resolveOfferOrder({ order, state, time }: OfferFilter): OfferOrder {
  if (order !== undefined) return order;
  if (time === "past") return "lastWork";
  return time === "upcoming" || state === "decision" ? "nextWork" : "newest";
}

const sorting = {
  newest: { cursor: newestOffersCursor, column: "offers.created_at", direction: "desc" },
  oldest: { cursor: newestOffersCursor, column: "offers.created_at", direction: "asc" },
  nextWork: { cursor: workTimeCursor, column: "offers.work_from", direction: "asc" },
  lastWork: { cursor: workTimeCursor, column: "offers.work_from", direction: "desc" },
} as const;

export const offersCursor = (filter: OfferFilter) => sorting[resolveOfferOrder(filter)].cursor;

/** Finds the matching offers of the user's organisations, in the filter's order (D-116). */
export async function findOffers(
  { store: { db }, now }: PortalDeps,
  { organisationIds }: SignedInPerson,
  filter: OfferFilter,
  { before, limit }: ListPage,
) {
  const at = now();
  const order = resolveOfferOrder(filter);
  const { cursor, column, direction } = sorting[order];
  const conditions = await filterConditions(db, filter, at);
  const isAfter = (key: ListKey | undefined) =>
    (direction === "asc" ? newerThan : olderThan)([column, "offers.id"], key);
  const readWhere = (extraConditions: RawBuilder<SqlBool>[], maxRows: number) =>
    db
      .selectFrom("offers")
      .innerJoin("organisations", "organisations.id", "offers.organisation_id")
      .select(["offers.id", "title", "offers.created_at as createdAt", "events"])
      .select(["ends_at", "completed_at", "withdrawn_at", "organisations.name as organisationName"])
      .select([epochMicroseconds(column).as("position"), responseCounts])
      .where("offers.organisation_id", "in", organisationIds)
      .where(sql.join<SqlBool>([...conditions, ...extraConditions], sql` and `))
      .orderBy(column, direction)
      .orderBy("offers.id", direction)
      .limit(maxRows)
      .execute();
  // Offers without a date must come last, but a backward scan of the index returns them first.
  const readDatedFirst = async () => {
    const startsUndated = before?.position === infinitePosition;
    const dated = startsUndated ? [] : await readWhere([isAfter(before), sql`work_from < 'infinity'`], limit + 1);
    if (dated.length > limit) return dated;
    const undated = await readWhere(
      [isAfter(startsUndated ? before : undefined), sql`work_from = 'infinity'`],
      limit + 1 - dated.length,
    );
    return [...dated, ...undated];
  };
  const offers = order === "lastWork" ? await readDatedFirst() : await readWhere([isAfter(before)], limit + 1);
  const page: RowPage<(typeof offers)[number]> = cursor.toPage(offers, limit, (row) => row);
  return { ...page, rows: page.rows.map((row) => ({ ...row, ...offerFlags(row, at) })) };
}

/** Builds the conditions for the parts of the filter that are set. */
async function filterConditions(
  db: PortalDeps["store"]["db"],
  { state, time, from, until, text }: OfferFilter,
  at: Date,
): Promise<RawBuilder<SqlBool>[]> {
  const conditions = state === undefined ? [] : stateConditions[state](at);
  if (time !== undefined) conditions.push(time === "past" ? isPast(at) : notPast(at));
  if (from !== undefined) conditions.push(sql<SqlBool>`ends_at > ${from}`);
  if (until !== undefined) conditions.push(sql<SqlBool>`(work_from < ${until} and ends_at is not null)`);
  if (text !== undefined) conditions.push(await textCondition(db, text));
  return conditions;
}

// D-06: an offer without events never counts as past.
// Work that has ended has also started. The second condition lets the index on `work_from` skip future work.
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

/** If more workers match, the query searches each offer's recipients instead of finding the workers' offers through an index. */
const maxIndexedWorkers = 50;

/** Builds the condition for `OfferFilter.text`. */
async function textCondition(db: PortalDeps["store"]["db"], text: string): Promise<RawBuilder<SqlBool>> {
  const pattern = containsPattern(text);
  const workers = await db
    .selectFrom("workers")
    .select("id")
    .where((where) => where.or([where("name", "ilike", pattern), where("id", "=", text)]))
    .limit(maxIndexedWorkers + 1)
    .execute();
  const hasMatchingWorker =
    workers.length > maxIndexedWorkers
      ? // With `limit`, the planner uses the index for each offer. With `exists`, it would hash all recipients of all offers.
        sql`coalesce((
          select true from recipients join workers on workers.id = worker_id
          where offer_id = offers.id and workers.name ilike ${pattern} limit 1), false)`
      : sql`offers.id in (
          select offer_id from recipients
          where worker_id in (select json_array_elements_text(${JSON.stringify(workers.map(({ id }) => id))}::text::json)))`;
  return sql`(title ilike ${pattern} or offers.id = ${text} or ${hasMatchingWorker})`;
}
