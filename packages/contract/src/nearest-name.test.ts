import { expect, test } from "vitest";
import { findNearestName } from "./nearest-name.ts";

const names = [
  "table",
  "keepMs",
  "keepResponsesMs",
  "timeoutMs",
  "key",
  "secret",
  "scheme",
  "now",
  "onWorkerOfferResponse",
];

/** Every misspelling that swaps two adjacent letters of a name, with the correct name. */
const misspeltNames = names.flatMap((name) =>
  [...name.slice(1)].flatMap((letter, index) => {
    const misspelt = name.slice(0, index) + letter + name[index] + name.slice(index + 2);
    return misspelt === name ? [] : [[misspelt, name]];
  }),
);

test.each(misspeltNames)("the nearest name to %s, which has two letters swapped, is %s", (misspelt, name) =>
  expect(findNearestName(misspelt, names)).toBe(name),
);

test.each([
  ["keepHours", "keepMs"],
  ["timeout", "timeoutMs"],
  ["SECRET", "secret"],
  ["onOfferResponse", "onWorkerOfferResponse"],
])("the nearest name to %s is %s", (misspelt, name) => expect(findNearestName(misspelt, names)).toBe(name));

test.each(["", "x", "frob", "colour"])("no name is near %j", (misspelt) =>
  expect(findNearestName(misspelt, names)).toBeUndefined(),
);
