import { offerNotFound } from "../../../offers/apply-action.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";

/**
 * Returns the organisation that owns the offer: the user's own, or an organisation that their agency acts for (D-117).
 *
 * @throws {ProblemError} `offer_not_found`
 */
export async function requireOfferOwner(
  { store }: Pick<PortalDeps, "store">,
  { organisationIds }: SignedInPerson,
  offerId: string,
): Promise<string> {
  const offer = await store.db
    .selectFrom("offers")
    .select("organisation_id")
    .where("id", "=", offerId)
    .where("organisation_id", "in", organisationIds)
    .executeTakeFirst();
  if (offer === undefined) throw offerNotFound();
  return offer.organisation_id;
}
