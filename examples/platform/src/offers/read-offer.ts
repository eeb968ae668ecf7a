import type { components } from "@offers/contract/openapi";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { OfferDeps } from "./offer-deps.ts";

export type Offer = components["schemas"]["Offer"];

/** Reads the offer as the API returns it to its organisation. @returns undefined if the organisation has no such offer */
export async function readOffer(
  { store, now }: OfferDeps,
  organisationId: string,
  offerId: string,
): Promise<Offer | undefined> {
  // Use one statement, so that flags and responses are consistent.
  const offer = await store.db
    .selectFrom("offers")
    .selectAll()
    .select(({ selectFrom }) =>
      jsonArrayFrom(
        selectFrom("recipients")
          .innerJoin("workers", "workers.id", "recipients.worker_id")
          .select(["recipients.id", "worker_id as workerId", "name", "response", "confirmation"])
          .whereRef("offer_id", "=", "offers.id")
          // Keep the order of `workerIds`.
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
    ...offerFlags(offer, now()),
    locationPlaceId: offer.location_place_id,
    createdAt: offer.created_at.toISOString(),
    events: offer.events,
    recipients: offer.recipients,
  };
}

interface OfferTimes {
  ends_at: Date | string | null;
  completed_at: Date | null;
  withdrawn_at: Date | null;
}

/** Returns the flags that describe an offer's state. */
export const offerFlags = ({ ends_at, completed_at, withdrawn_at }: OfferTimes, now: Date) => ({
  complete: completed_at !== null,
  // The contract's spelling.
  widthdrawn: withdrawn_at !== null,
  // D-06: an offer without events is never historic.
  isHistoric: ends_at !== null && new Date(ends_at) <= now,
});
