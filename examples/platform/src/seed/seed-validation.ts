import { toSignInAddress } from "../accounts/invitations.ts";
import type { Seed } from "./seed-schema.ts";

export interface SeedProblem {
  path: PropertyKey[];
  remedy: string;
}

/** A value and its path in the file. */
type Entry = [value: string, path: PropertyKey[]];

/**
 * Checks that the references in a seed exist and that its values are unique. Otherwise, the store would fail on an unknown reference
 * and silently skip a duplicate.
 */
export function findSeedProblems({ organisations, people, workers }: Seed): SeedProblem[] {
  const toIdEntries = (list: string, items: readonly { id: string }[]) =>
    items.map(({ id }, index): Entry => [id, [list, index, "id"]]);
  const { references, apiKeys, places } = collectOrganisationEntries(organisations);
  const emailAddresses: Entry[] = [];
  for (const [index, person] of people.entries()) {
    references.push([person.organisationId, ["people", index, "organisationId"]]);
    for (const [position, text] of person.emailAddresses.entries())
      emailAddresses.push([toSignInAddress(text), ["people", index, "emailAddresses", position]]);
  }
  const organisationIds = toIdEntries("organisations", organisations);
  const existingIds = new Set(organisationIds.map(([id]) => id));
  const unknownReferences = references.filter(([id]) => !existingIds.has(id));
  const uniqueLists = [
    organisationIds,
    toIdEntries("people", people),
    toIdEntries("workers", workers),
    apiKeys,
    places,
    emailAddresses,
  ];
  return [
    ...unknownReferences.map(([, path]) => ({ path, remedy: "Use the id of an organisation in this file." })),
    ...uniqueLists.flatMap(findDuplicates),
  ];
}

/** Collects the values in organisations that must refer to an organisation or be unique. A place must be unique within its organisation. */
function collectOrganisationEntries(organisations: Seed["organisations"]) {
  const references: Entry[] = [];
  const apiKeys: Entry[] = [];
  const places: Entry[] = [];
  for (const [index, organisation] of organisations.entries()) {
    const path = ["organisations", index];
    for (const [position, { key }] of organisation.apiKeys.entries())
      apiKeys.push([key, [...path, "apiKeys", position]]);
    for (const [position, { id }] of organisation.places.entries())
      places.push([JSON.stringify([organisation.id, id]), [...path, "places", position, "id"]]);
    for (const [position, { organisationId, apiKey }] of organisation.actsFor.entries()) {
      references.push([organisationId, [...path, "actsFor", position, "organisationId"]]);
      apiKeys.push([apiKey, [...path, "actsFor", position, "apiKey"]]);
    }
  }
  return { references, apiKeys, places };
}

function findDuplicates(entries: readonly Entry[]): SeedProblem[] {
  const problems: SeedProblem[] = [];
  const earlierValues = new Set<string>();
  for (const [value, path] of entries) {
    if (earlierValues.has(value))
      problems.push({ path, remedy: "Choose another value; this one is already used earlier in the file." });
    earlierValues.add(value);
  }
  return problems;
}
