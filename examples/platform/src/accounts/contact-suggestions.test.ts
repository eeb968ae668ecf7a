import { expect, test } from "vitest";
import { parseSuggestions } from "./contact-suggestions.ts";

const parse = (body: unknown, status = 200) => {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return parseSuggestions({ ok: true, status, body: bytes, truncated: false, durationMs: 1 });
};
const rating = { rating: 5, ratingProvider: "Harbour Kitchen", lastWorked: "2025-11-30T17:00:00Z" };
const dana = { name: "Dana Kim", emailAddress: "dana.kim@example.com", ratings: [rating] };

test("accepts a valid list, even if it is empty", () => {
  expect(parse([dana])).toEqual([dana]);
  expect(parse([])).toEqual([]);
});

test("interprets a lastWorked without a time as midnight UTC", () =>
  expect(parse([{ ...dana, ratings: [{ ...rating, lastWorked: "2025-11-30" }] }])).toMatchObject([
    { ratings: [{ lastWorked: "2025-11-30T00:00:00Z" }] },
  ]));

test("keeps the unknown fields of a suggestion [D-35]", () =>
  expect(parse([{ ...dana, note: 1 }])).toEqual([{ ...dana, note: 1 }]));

test("accepts an internationalised email address [D-31]", () =>
  expect(parse([{ ...dana, emailAddress: "δανάη@παράδειγμα.ελ" }])).toHaveLength(1));

test.each([
  [{ ...dana, ratings: [{ ...rating, rating: 6 }] }, "[0].ratings[0].rating"],
  [{ ...dana, ratings: [{ ...rating, rating: 0 }] }, "[0].ratings[0].rating"],
  [{ ...dana, ratings: [{ ...rating, rating: 4.5 }] }, "[0].ratings[0].rating"],
  [{ ...dana, ratings: [{ ...rating, lastWorked: "2025-02-30" }] }, "[0].ratings[0].lastWorked"],
  [{ ...dana, ratings: undefined }, "[0].ratings"],
  [{ ...dana, emailAddress: "dana" }, "[0].emailAddress"],
  [{ ...dana, name: "" }, "[0].name"],
  [{ ...dana, name: "Dana\0" }, "[0].name"],
  [{ ...dana, name: "Dana\nKim" }, "[0].name"],
  [{ ...dana, profileImageUrl: "javascript:alert(1)" }, "[0].profileImageUrl"],
])("rejects the whole list when one entry is invalid, and reports the field, %# [D-23]", (entry, field) =>
  expect(parse([entry, dana])).toEqual({
    code: "invalid_suggestions",
    message: `The response is not a valid list of suggestions; invalid fields: ${field}.`,
  }),
);

test("never quotes a value from the response", () =>
  expect(JSON.stringify(parse([{ ...dana, emailAddress: "private" }]))).not.toContain("private"));

test.each([
  [parse({ contacts: [] }), "invalid_suggestions"],
  [parse("<html>"), "malformed_json"],
  [parse(`[${"[".repeat(200_000)}${"]".repeat(200_000)}]`), "malformed_json"],
  [parse("oops", 500), "unexpected_status"],
  [parse([], 201), "unexpected_status"],
  [
    parseSuggestions({ ok: true, status: 200, body: Buffer.from("[]"), truncated: true, durationMs: 1 }),
    "response_too_large",
  ],
])("reports any other invalid response, %#", (result, code) => expect(result).toMatchObject({ code }));
