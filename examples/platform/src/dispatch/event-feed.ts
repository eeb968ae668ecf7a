import type { Selectable } from "kysely";
import { sql } from "kysely";
import { listCursor } from "../http/list-cursor.ts";
import { invalidRequest } from "../http/problem.ts";
import type { Store, Trx } from "../store/store.ts";
import type { EventTable, EventType } from "../store/tables.ts";

/** A page of the feed (D-133). */
export interface FeedPage {
  events: { id: string; type: string; data: Record<string, string>; createdAt: string }[];
  /** Of the last event of the page, or as given when there is none: it can always be polled with. */
  cursor: string;
  /** Whether there are events after the page. */
  more: boolean;
}

/** As the contract names the webhooks. */
const typeNames: Readonly<Record<EventType, string>> = {
  workerOfferResponse: "WorkerOfferResponse",
  workerAddedContact: "WorkerAddedContact",
};

/** A cursor belongs to one organisation, whose id it holds. */
const cursors = listCursor("events", /^/);

/** Events that get a position in one transaction: it must end within five seconds. */
const maxPlaced = 5_000;

/**
 * Reads the events of an organisation in the order of their positions, which committed events get when the feed is read. A write
 * transaction that is forgotten holds back its own events alone.
 *
 * @throws {ProblemError} `invalid_request` for a cursor that is not of this organisation's feed
 */
export async function readFeed(
  store: Store,
  organisationId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<FeedPage> {
  const from = after === undefined ? 0 : await checkCursor(store, organisationId, after);
  const mayHaveMore = await placeEvents(store, organisationId);
  const rows = await store.db
    .selectFrom("events")
    .select(["id", "type", "data", "created_at", "position"])
    .where("organisation_id", "=", organisationId)
    .where("position", ">", from)
    .orderBy("position")
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  return {
    events: shown.map(toFeedEvent),
    cursor: cursors.write({ position: shown.at(-1)?.position ?? from, id: organisationId }),
    more: rows.length > limit || mayHaveMore,
  };
}

const toFeedEvent = ({
  id,
  type,
  data,
  created_at,
}: Pick<Selectable<EventTable>, "id" | "type" | "data" | "created_at">) => ({
  id,
  type: typeNames[type],
  data,
  createdAt: created_at.toISOString(),
});

async function checkCursor({ db }: Store, organisationId: string, cursor: string): Promise<number> {
  const key = cursors.read(cursor);
  const feed = await db
    .selectFrom("event_feeds")
    .select("last_position")
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (key?.id === organisationId && key.position <= Number(feed?.last_position ?? 0)) return key.position;
  throw invalidRequest(
    new Map([["after", ["Use `cursor` of a page of this organisation's feed unchanged and once, or omit it."]]]),
  );
}

/**
 * Assigns positions to the committed events that have none. One reader at a time, so that each sees all positions below its own.
 *
 * @returns whether some are left for the next read
 */
async function placeEvents(store: Store, organisationId: string): Promise<boolean> {
  const unplaced = store.db
    .selectFrom("events")
    .select("feed_order")
    .where("organisation_id", "=", organisationId)
    .where("position", "is", null);
  // A poll that finds nothing writes nothing.
  if ((await unplaced.limit(1).executeTakeFirst()) === undefined) return false;
  return store.transaction(async (trx) => {
    await lockFeed(trx, organisationId);
    // A statement of its own: it sees what was committed while this one waited for the lock.
    const { rows } = await sql<{ placed: number }>`
      with unplaced as (
        select id, row_number() over (order by feed_order) as place from (
          select id, feed_order from events where organisation_id = ${organisationId} and position is null
          order by feed_order limit ${maxPlaced}
        ) as earliest
      ), placed as (
        update events set position = last_position + place
        from unplaced, event_feeds
        where events.id = unplaced.id and event_feeds.organisation_id = ${organisationId}
        returning position
      ), counted as (select count(*)::int as placed, max(position) as last_position from placed), kept as (
        update event_feeds set last_position = counted.last_position from counted
        where organisation_id = ${organisationId} and placed > 0
      )
      select placed from counted`.execute(trx);
    return rows[0]?.placed === maxPlaced;
  });
}

async function lockFeed(trx: Trx, organisationId: string): Promise<void> {
  await trx
    .insertInto("event_feeds")
    .values({ organisation_id: organisationId })
    .onConflict((conflict) => conflict.column("organisation_id").doNothing())
    .execute();
  await trx
    .selectFrom("event_feeds")
    .select("last_position")
    .where("organisation_id", "=", organisationId)
    .forUpdate()
    .execute();
}
