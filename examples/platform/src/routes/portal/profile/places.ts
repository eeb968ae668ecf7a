import { z } from "zod";
import { lineField, textField } from "../../../http/fields.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";

export const placeSchema = z.strictObject({ id: textField, name: lineField.max(200) });

/** The maximum number of places to read. The form for a new offer lists all of them. */
const maxPlaces = 1_000;

export type Place = z.infer<typeof placeSchema>;

/** Reads the named places of the organisations, sorted by name (D-131). */
export const readPlaces = ({ store }: Pick<PortalDeps, "store">, organisationIds: readonly string[]) =>
  store.db
    .selectFrom("places")
    .select(["id", "name"])
    .where("organisation_id", "in", organisationIds)
    .orderBy("name")
    .orderBy("id")
    .limit(maxPlaces)
    .execute();

/** Sets or replaces a place's name. */
export async function setPlaceName(
  { store }: Pick<PortalDeps, "store">,
  { organisationId }: SignedInPerson,
  { id, name }: Place,
): Promise<void> {
  await store.db
    .insertInto("places")
    .values({ organisation_id: organisationId, id, name })
    .onConflict((conflict) => conflict.columns(["organisation_id", "id"]).doUpdateSet({ name }))
    .execute();
}

/** Removes a place's name, so that offers show its id again. */
export async function removePlaceName(
  { store }: Pick<PortalDeps, "store">,
  { organisationId }: SignedInPerson,
  placeId: string,
): Promise<void> {
  await store.db.deleteFrom("places").where("organisation_id", "=", organisationId).where("id", "=", placeId).execute();
}
