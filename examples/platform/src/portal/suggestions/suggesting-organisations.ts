import { sql } from "kysely";
import type { PortalDeps } from "../person/portal-deps.ts";
import type { SignedInPerson } from "../person/signed-in-person.ts";

/** The organisations that implement suggestions (D-22): the person's own first, the others by name. */
export const suggestingOrganisations = ({ store }: PortalDeps, { organisationId }: SignedInPerson) =>
  store.db
    .selectFrom("endpoints")
    .innerJoin("organisations", "organisations.id", "organisation_id")
    .select(["organisations.id", "organisations.name"])
    .select(sql<boolean>`organisations.id = ${organisationId}`.as("isOwn"))
    .where("suggests_contacts", "=", true)
    .orderBy("isOwn", "desc")
    .orderBy("organisations.name")
    .orderBy("organisations.id")
    .execute();

export type SuggestingOrganisation = Awaited<ReturnType<typeof suggestingOrganisations>>[number];
