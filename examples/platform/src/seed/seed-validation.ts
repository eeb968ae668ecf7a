import type { Seed } from "./seed-schema.ts";

export interface SeedProblem {
  path: PropertyKey[];
  remedy: string;
}

/** A value and its path in the file. */
type Entry = [value: string, path: PropertyKey[]];

/**
 * Checks references and uniqueness between the entries of a seed. The store would fail on an unknown reference, and silently
 * skip a duplicate.
 */
export function seedProblems({ organisations, people, workers }: Seed): SeedProblem[] {
  const idsOf = (list: "organisations" | "people" | "workers", entries: readonly { id: string }[]) =>
    entries.map(({ id }, index): Entry => [id, [list, index, "id"]]);
  const held = organisations.flatMap(({ actsFor }, index) =>
    actsFor.map((one, at) => ({ ...one, path: ["organisations", index, "actsFor", at] })),
  );
  const apiKeys = organisations.flatMap((organisation, index) =>
    organisation.apiKeys.map((key, at): Entry => [key, ["organisations", index, "apiKeys", at]]),
  );
  const emailAddresses = people.flatMap((person, index) =>
    // Sign-in ignores case.
    person.emailAddresses.map((text, at): Entry => [text.toLowerCase(), ["people", index, "emailAddresses", at]]),
  );
  const references = [
    ...held.map(({ organisationId, path }): Entry => [organisationId, [...path, "organisationId"]]),
    ...people.map(({ organisationId }, index): Entry => [organisationId, ["people", index, "organisationId"]]),
  ];
  const known = new Set(organisations.map(({ id }) => id));
  return [
    ...references
      .filter(([id]) => !known.has(id))
      .map(([, path]) => ({ path, remedy: "Give the id of an organisation in this file." })),
    ...[
      idsOf("organisations", organisations),
      idsOf("people", people),
      idsOf("workers", workers),
      [...apiKeys, ...held.map(({ apiKey, path }): Entry => [apiKey, [...path, "apiKey"]])],
      emailAddresses,
    ].flatMap(repeated),
  ];
}

function repeated(entries: readonly Entry[]): SeedProblem[] {
  const seen = new Set<string>();
  return entries
    .filter(([value]) => seen.has(value) || !seen.add(value))
    .map(([, path]) => ({ path, remedy: "Choose another value; it is already used earlier in the file." }));
}
