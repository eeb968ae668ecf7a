import type { Trx } from "../store/store.ts";
import type { CreationContext } from "./check-creation.ts";

/**
 * Looks up what `checkCreation` needs in the store.
 *
 * @param peopleOf the organisations whose people may create the offer (D-37)
 */
export const creationContext = (trx: Trx, now: Date, peopleOf: readonly string[]): CreationContext => ({
  now,
  async mayCreate(id) {
    const person = await trx
      .selectFrom("people")
      .select("id")
      .where("id", "=", id)
      .where("organisation_id", "in", peopleOf)
      .executeTakeFirst();
    return person !== undefined;
  },
  async knownWorkers(ids) {
    if (ids.length === 0) return new Set();
    const workers = await trx.selectFrom("workers").select("id").where("id", "in", ids).execute();
    return new Set(workers.map(({ id }) => id));
  },
});
