import { type ListPage, listCursor } from "../../lists/list-cursor.ts";
import { microsecondsOf, olderThan } from "../../lists/older-than.ts";
import { isHistoric } from "../../offers/read-offer.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import { countedResponses, responseCounts } from "./response-counts.ts";

export type ListedOffer = Awaited<ReturnType<typeof listOffers>>["rows"][number];

export const offersCursor = listCursor("offers", /./);

/** The organisation's offers, newest first, with their counts of responses. */
export async function listOffers({ store, now }: PortalDeps, organisationId: string, { before, limit }: ListPage) {
  const read = await store.db
    .selectFrom("offers")
    .select(["id", "title", "created_at", "ends_at", "completed_at", "withdrawn_at"])
    .select(microsecondsOf("offers.created_at").as("position"))
    .select(countedResponses)
    .where("organisation_id", "=", organisationId)
    .where(olderThan(["offers.created_at", "offers.id"], before))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const at = now();
  const { rows, next } = offersCursor.cut(read, limit, (row) => row);
  const offers = rows.map((offer) => ({
    id: offer.id,
    title: offer.title,
    createdAt: offer.created_at.toISOString(),
    isHistoric: isHistoric(offer.ends_at, at),
    complete: offer.completed_at !== null,
    widthdrawn: offer.withdrawn_at !== null,
    responses: responseCounts(offer.counts),
  }));
  return { rows: offers, next };
}
