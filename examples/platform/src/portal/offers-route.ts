import type { RequestHandler } from "express";
import { isHistoric } from "../offers/read-offer.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { signedInPerson } from "./signed-in-person.ts";

const limit = 100;

/** `GET /portal/offers`: the organisation's latest offers, newest first, with how many answered what. */
export const listOffersRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const { organisationId } = await signedInPerson(deps, request);
    const offers = await deps.store.db
      .selectFrom("offers")
      .select(["id", "title", "created_at", "ends_at", "completed_at", "withdrawn_at"])
      .where("organisation_id", "=", organisationId)
      .orderBy("created_at", "desc")
      .orderBy("id")
      .limit(limit)
      .execute();
    const responses = await countResponses(
      deps,
      offers.map(({ id }) => id),
    );
    const now = deps.now();
    const view = offers.map((offer) => ({
      id: offer.id,
      title: offer.title,
      createdAt: offer.created_at.toISOString(),
      isHistoric: isHistoric(offer.ends_at, now),
      complete: offer.completed_at !== null,
      widthdrawn: offer.withdrawn_at !== null,
      responses: { applied: 0, rejected: 0, none: 0, ...responses.get(offer.id) },
    }));
    response.json({ offers: view });
  };

async function countResponses({ store }: PortalDeps, offerIds: string[]): Promise<Map<string, Record<string, number>>> {
  const counts = new Map<string, Record<string, number>>();
  if (offerIds.length === 0) return counts;
  const rows = await store.db
    .selectFrom("recipients")
    .select(({ fn }) => ["offer_id", "response", fn.countAll<number>().as("count")])
    .where("offer_id", "in", offerIds)
    .groupBy(["offer_id", "response"])
    .execute();
  for (const { offer_id: id, response, count } of rows) counts.set(id, { ...counts.get(id), [response]: count });
  return counts;
}
