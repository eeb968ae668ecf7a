import { type SqlBool, sql } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import { isHistoric } from "../../offers/read-offer.ts";
import { offerNotFound } from "../../offers/refusal-problem.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import { countedResponses, responseCounts } from "./response-counts.ts";

/** An offer with all details for its organisation. */
export type OfferDetails = Awaited<ReturnType<typeof readOfferDetails>>;
export type RecipientDetails = OfferDetails["recipients"][number];

export interface RecipientQuery {
  /** The last recipient of the previous page. */
  after?: number | undefined;
  limit: number;
}

/**
 * @param query the page of recipients, applicants first
 * @throws {ProblemError} `offer_not_found`, also for another organisation's offer
 */
export async function readOfferDetails(
  { store, now }: Pick<PortalDeps, "store" | "now">,
  organisationId: string,
  offerId: string,
  { after, limit }: RecipientQuery = { limit: 0 },
) {
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
          .$if(after !== undefined, (query) => query.where(comesAfter(after ?? 0)))
          .limit(limit),
      ).as("recipients"),
      // Also a person of an agency, who is not of this organisation.
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

/** Follows the order of recipients, by the current response of the last one. */
const comesAfter = (id: number) => sql<SqlBool>`(response <> 'applied', recipients.id) > (
  select last.response <> 'applied', last.id from recipients as last where last.id = ${id} and last.offer_id = offers.id)`;
