import type { Seed } from "./seed-schema.ts";

export interface SeedFault {
  path: PropertyKey[];
  remedy: string;
}

/** A value, and where in the file it stands. */
type Entry = [value: string, path: PropertyKey[]];

/**
 * What is wrong between the entries of a seed: whom it refers to is in the same file, and nothing that tells one from
 * another is there twice. The store would stop at the one, and leave out the second of the other without a word.
 */
export function seedFaults({ organisations, people, workers }: Seed): SeedFault[] {
  const idsOf = (list: "organisations" | "people" | "workers", entries: readonly { id: string }[]) =>
    entries.map(({ id }, index): Entry => [id, [list, index, "id"]]);
  const held = organisations.flatMap(({ actsFor }, index) =>
    actsFor.map((one, at) => ({ ...one, path: ["organisations", index, "actsFor", at] })),
  );
  const apiKeys = organisations.flatMap((organisation, index) =>
    organisation.apiKeys.map((key, at): Entry => [key, ["organisations", index, "apiKeys", at]]),
  );
  const emailAddresses = people.flatMap((person, index) =>
    // Upper and lower case are one to whoever signs in.
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

function repeated(entries: readonly Entry[]): SeedFault[] {
  const seen = new Set<string>();
  return entries
    .filter(([value]) => seen.has(value) || !seen.add(value))
    .map(([, path]) => ({ path, remedy: "Give another one; this one is in the file before." }));
}
