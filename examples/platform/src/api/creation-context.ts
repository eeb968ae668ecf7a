import type { OfferDeps } from "../offers/offer-deps.ts";
import type { CreationContext } from "./check-creation.ts";

/** Answers the questions of `checkCreation` from the store. */
export const creationContext = ({ store, now }: OfferDeps, organisationId: string): CreationContext => ({
  now: now(),
  async isPersonOfOrganisation(id) {
    const person = await store.db
      .selectFrom("people")
      .select("id")
      .where("id", "=", id)
      .where("organisation_id", "=", organisationId)
      .executeTakeFirst();
    return person !== undefined;
  },
  async knownWorkers(ids) {
    if (ids.length === 0) return new Set();
    const workers = await store.db.selectFrom("workers").select("id").where("id", "in", ids).execute();
    return new Set(workers.map(({ id }) => id));
  },
});
