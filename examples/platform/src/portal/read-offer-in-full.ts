import { jsonArrayFrom } from "kysely/helpers/postgres";
import { isHistoric } from "../offers/read-offer.ts";
import { offerNotFound } from "../offers/refusal-problem.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { countedResponses, responseCounts } from "./response-counts.ts";

/** An offer with all that its organisation may see of it. */
export type OfferInFull = Awaited<ReturnType<typeof readOfferInFull>>;
export type RecipientInFull = OfferInFull["recipients"][number];

/** So many recipients are shown; those who applied come first. */
const recipientsLimit = 500;

/** @throws {ProblemError} `offer_not_found`, alike for an unknown and a foreign one */
export async function readOfferInFull({ store, now }: PortalDeps, organisationId: string, offerId: string) {
  const offer = await store.db
    .selectFrom("offers")
    .selectAll()
    .select(({ selectFrom }) => [
      jsonArrayFrom(
        selectFrom("recipients")
          .innerJoin("workers", "workers.id", "recipients.worker_id")
          .select(["recipients.id", "worker_id as workerId", "name", "response", "confirmation"])
          .select(["opened_at as openedAt", "responded_at as respondedAt", "closed_at as closedAt"])
          .whereRef("offer_id", "=", "offers.id")
          .orderBy(({ eb }) => eb("response", "=", "applied"), "desc")
          .orderBy("recipients.id")
          .limit(recipientsLimit),
      ).as("recipients"),
      // An agency's person is not of this organisation, but it is known who created the offer.
      selectFrom("people").select("name").whereRef("people.id", "=", "created_by_user_id").as("createdBy"),
    ])
    .select(countedResponses)
    .where("id", "=", offerId)
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (offer === undefined) throw offerNotFound();
  return {
    ...offer,
    complete: offer.completed_at !== null,
    widthdrawn: offer.withdrawn_at !== null,
    isHistoric: isHistoric(offer.ends_at, now()),
    responses: responseCounts(offer.counts),
  };
}
