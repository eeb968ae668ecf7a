import { addFieldError } from "../../problem/field-errors.ts";
import { type FieldErrors, ProblemError } from "../../problem/problem-error.ts";
import { type OrganisationResult, searchAll } from "../../suggestions/search-all.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import { emailAddressesOf, type PersonInSession } from "../person/signed-in-person.ts";
import { recordShown } from "./shown-suggestions.ts";
import { suggestingOrganisations } from "./suggesting-organisations.ts";

export interface PersonSearch {
  /** Only these organisations receive the person's addresses (D-88). */
  organisationIds: readonly string[];
  /** An empty filter has no effect. */
  filter?: string | undefined;
}

/**
 * Searches the given organisations with the person's addresses. The results can be invited in the same session.
 *
 * @throws {ProblemError} `organisation_not_suggesting` before any is called
 */
export async function searchForPerson(
  deps: PortalDeps,
  person: PersonInSession,
  { organisationIds, filter }: PersonSearch,
): Promise<OrganisationResult[]> {
  const suggesting = new Set((await suggestingOrganisations(deps, person)).map(({ id }) => id));
  const errors: FieldErrors = new Map();
  for (const [index, id] of organisationIds.entries())
    if (!suggesting.has(id))
      addFieldError(
        errors,
        `organisationIds[${index}]`,
        "Remove it: no organisation with this id implements suggestions.",
      );
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
