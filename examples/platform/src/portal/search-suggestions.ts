import { sql } from "kysely";
import { z } from "zod";
import { nullAsAbsent } from "../generated/received-values.ts";
import { addFieldError } from "../problem/field-errors.ts";
import { type FieldErrors, ProblemError } from "../problem/problem-error.ts";
import { type OrganisationResult, searchAll } from "../suggestions/search-all.ts";
import { textField } from "../validation/text-field.ts";
import { emailAddressesOf, type PortalDeps, type SignedInPerson } from "./person.ts";
import { recordShown } from "./shown-suggestions.ts";

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

/** A search. Only the given organisations receive the person's addresses (D-88); an empty filter has no effect. */
export const searchSchema = nullAsAbsent(
  z.strictObject({
    organisationIds: z.array(textField).min(1).max(1_000),
    filter: z.literal("").or(textField).optional(),
  }),
);

export type PersonSearch = z.infer<typeof searchSchema>;

/**
 * Searches the given organisations with the person's addresses. The results can be invited in the same session.
 *
 * @throws {ProblemError} `organisation_not_suggesting` before any is called
 */
export async function searchSuggestions(
  deps: PortalDeps,
  person: SignedInPerson,
  { organisationIds, filter }: PersonSearch,
): Promise<OrganisationResult[]> {
  const suggesting = new Set((await suggestingOrganisations(deps, person)).map(({ id }) => id));
  const errors: FieldErrors = new Map();
  const remedy = "Remove it: no organisation with this id implements suggestions.";
  for (const [index, id] of organisationIds.entries())
    if (!suggesting.has(id)) addFieldError(errors, `organisationIds[${index}]`, remedy);
  if (errors.size > 0)
    throw new ProblemError(
      "organisation_not_suggesting",
      "No search was made. Name only organisations that implement suggestions.",
      { errors },
    );
  const userEmailAddresses = await emailAddressesOf(deps, person);
  const results = await searchAll(deps, { organisationIds, userEmailAddresses, ...(filter && { filter }) });
  await recordShown(deps, person.sessionId, results);
  return results;
}
