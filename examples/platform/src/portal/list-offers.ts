import { isHistoric } from "../offers/read-offer.ts";
import { type ListPart, olderThan } from "./older-than.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { countedResponses, responseCounts } from "./response-counts.ts";

export type ListedOffer = Awaited<ReturnType<typeof listOffers>>[number];

/** The organisation's offers, newest first, with how many answered what. */
export async function listOffers({ store, now }: PortalDeps, organisationId: string, { before, limit }: ListPart) {
  const offers = await store.db
    .selectFrom("offers")
    .select(["id", "title", "created_at", "ends_at", "completed_at", "withdrawn_at"])
    .select(countedResponses)
    .where("organisation_id", "=", organisationId)
    .$if(before !== undefined, (query) => query.where(olderThan("offers", organisationId, before ?? "")))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  const at = now();
  return offers.map((offer) => ({
    id: offer.id,
    title: offer.title,
    createdAt: offer.created_at.toISOString(),
    isHistoric: isHistoric(offer.ends_at, at),
    complete: offer.completed_at !== null,
    widthdrawn: offer.withdrawn_at !== null,
    responses: responseCounts(offer.counts),
  }));
}
