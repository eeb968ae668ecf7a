import type { Selectable } from "kysely";
import { createListCursor } from "../http/list-cursor.ts";
import { invalidRequest } from "../http/problem.ts";
import { assignPositions } from "../store/feed-positions.ts";
import type { Store } from "../store/store.ts";
import type { EventTable, EventType } from "../store/tables.ts";

/** A page of the event feed (D-133). */
export interface FeedPage {
  events: { id: string; type: string; data: Record<string, string>; createdAt: string }[];
  /** The cursor after the page's last event; unchanged if the page is empty. Pass it in the next poll. */
  cursor: string;
  /** Whether there are more events after this page. */
  more: boolean;
}

/** Maps event types to the names of webhooks in the contract. */
const typeNames: Readonly<Record<EventType, string>> = {
  workerOfferResponse: "WorkerOfferResponse",
  workerAddedContact: "WorkerAddedContact",
};

/** A cursor contains the id of the organisation that it belongs to. The pattern matches any id, because `resolveCursor` checks the id. */
const feedCursors = createListCursor("events", /^/);

/**
 * Reads an organisation's events in the order of their positions. Positions are assigned to committed events when the feed is read,
 * so a transaction that stays open delays only its own events.
 *
 * @throws {ProblemError} `invalid_request` for a cursor that is not from this organisation's feed
 */
export async function readFeed(
  store: Store,
  organisationId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<FeedPage> {
  const afterPosition = after === undefined ? 0 : await resolveCursor(store, organisationId, after);
  const unassignedRows = await assignPositions(store, "events", [organisationId]);
  const rows = await store.db
    .selectFrom("events")
    .select(["id", "type", "data", "created_at", "position"])
    .where("organisation_id", "=", organisationId)
    .where("position", ">", afterPosition)
    .orderBy("position")
    .limit(limit + 1)
    .execute();
  const pageRows = rows.slice(0, limit);
  return {
    events: pageRows.map(toFeedEvent),
    cursor: feedCursors.encode({ position: pageRows.at(-1)?.position ?? afterPosition, id: organisationId }),
    more: rows.length > limit || unassignedRows === "more",
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

/** Returns the position in a cursor. @throws {ProblemError} `invalid_request` if the cursor is not from this organisation's feed */
async function resolveCursor({ db }: Store, organisationId: string, cursor: string): Promise<number> {
  const key = feedCursors.decode(cursor);
  const feed = await db
    .selectFrom("event_feeds")
    .select("last_position")
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (key?.id === organisationId && key.position <= Number(feed?.last_position ?? 0)) return key.position;
  throw invalidRequest(
    new Map([["after", ["Send one `cursor`, exactly as a page of this organisation's feed returned it, or omit it."]]]),
  );
}
