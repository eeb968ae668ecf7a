import { type OrganisationAnswer, searchAll } from "../suggestions/search-all.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { emailAddressesOf, type SignedInPerson } from "./signed-in-person.ts";

/** Asks all organisations that implement suggestions, with the person's addresses. An empty filter narrows nothing. */
export async function searchForPerson(
  deps: PortalDeps,
  person: SignedInPerson,
  filter: string | undefined,
): Promise<OrganisationAnswer[]> {
  const userEmailAddresses = await emailAddressesOf(deps, person);
  return searchAll(deps, { userEmailAddresses, ...(filter && { filter }) });
}
