import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { components } from "../generated/openapi.ts";
import type { OfferDeps } from "./offer-deps.ts";

export type Offer = components["schemas"]["Offer"];

/** The offer as its organisation sees it; undefined when the organisation has no such offer. */
export async function readOffer(
  { store, now }: OfferDeps,
  organisationId: string,
  offerId: string,
): Promise<Offer | undefined> {
  // One statement, so that flags and responses are consistent.
  const offer = await store.db
    .selectFrom("offers")
    .selectAll()
    .select(({ selectFrom }) =>
      jsonArrayFrom(
        selectFrom("recipients")
          .innerJoin("workers", "workers.id", "recipients.worker_id")
          .select(["recipients.id", "worker_id as workerId", "name", "response", "confirmation"])
          .whereRef("offer_id", "=", "offers.id")
          // In the order of `workerIds`.
          .orderBy("recipients.id"),
      ).as("recipients"),
    )
    .where("id", "=", offerId)
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (offer === undefined) return undefined;
  return {
    id: offer.id,
    title: offer.title,
    details: offer.details,
    isHistoric: isHistoric(offer.ends_at, now()),
    widthdrawn: offer.withdrawn_at !== null,
    complete: offer.completed_at !== null,
    locationPlaceId: offer.location_place_id,
    createdAt: offer.created_at.toISOString(),
    events: offer.events,
    recipients: offer.recipients,
  };
}

/** D-06: an offer without events is never historic. */
export const isHistoric = (endsAt: Date | string | null, now: Date): boolean =>
  endsAt !== null && new Date(endsAt) <= now;
