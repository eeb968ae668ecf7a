// Tests an integrator's response to a suggestion search, field by field, against the tables in spec/interface.md.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Respond, respondWith } from "../support/receiver.ts";
import { type DocumentedField, invalidValues, readFieldsAfter } from "./contract-document.ts";
import { dana, type HarbourFixture, openHarbourFixture, rating } from "./harbour-fixture.ts";

describe("contact suggestion responses", () => {
  let fixture: HarbourFixture;
  beforeAll(async () => {
    fixture = await openHarbourFixture();
    await fixture.enterProfile({ suggestsContacts: true });
  });
  afterAll(() => fixture.close());

  const search = async () => {
    const response = await fixture.callPortal("POST", "/suggestions/search", { organisationIds: ["org_harbour"] });
    const [result] = response.json<{
      results: { suggestions?: object[]; failure?: { code: string; message: string } }[];
    }>().results;
    return result;
  };
  const respondWithList = (list: unknown): Respond => respondWith(200, {}, JSON.stringify(list));

  const getSearchOutcome = async (list: unknown) => {
    fixture.receiver.respond = respondWithList(list);
    const { suggestions, failure } = (await search()) ?? {};
    return suggestions ? "shown" : failure?.message;
  };
  const expectFieldValidated = async (row: DocumentedField, change: (field: object) => unknown) => {
    const outcomeWithoutField = await getSearchOutcome([change({ [row.field]: undefined })]);
    if (row.required === "no") expect(outcomeWithoutField).toBe("shown");
    else expect(outcomeWithoutField).toMatch(new RegExp(`invalid fields: .*\\.${row.field}\\.$`));
    // null means that an optional field is absent (D-94).
    for (const value of invalidValues(row).filter((value) => value !== null || row.required !== "no"))
      expect(await getSearchOutcome([change({ [row.field]: value })])).toContain(`.${row.field}`);
  };

  test.each(readFieldsAfter("### Contact suggestion response"))(
    "a suggestion contains $field as $type; required: $required [D-31] [interface: Suggestion name, emailAddress, profileImageUrl, ratings]",
    (row) => expectFieldValidated(row, (field) => ({ ...dana, ...field })),
  );

  test.each(readFieldsAfter("Rating object, all three"))(
    "each rating of a suggestion requires $field as $type [interface: Rating 1, rating, ratingProvider, lastWorked]",
    (row) => expectFieldValidated(row, (field) => ({ ...dana, ratings: [rating, { ...rating, ...field }] })),
  );

  test("a suggestion's ratings are from 1 to 5 and are shown unchanged [interface: Rating rating, ratingProvider] [interface: Limits 1b]", async () => {
    const ratings = [1, 2, 3, 4, 5].map((stars) => ({ ...rating, rating: stars }));
    fixture.receiver.respond = respondWithList([{ ...dana, ratings }]);
    expect((await search())?.suggestions).toEqual([{ ...dana, ratings }]);
    for (const stars of [0, 6, -1, 4.5])
      expect(await getSearchOutcome([{ ...dana, ratings: [{ ...rating, rating: stars }] }])).toContain(
        "ratings[0].rating",
      );
  });

  test("lastWorked without a time is treated as midnight UTC [D-28] [interface: Rating lastWorked]", async () => {
    fixture.receiver.respond = respondWithList([{ ...dana, ratings: [{ ...rating, lastWorked: "2025-11-30" }] }]);
    expect((await search())?.suggestions).toMatchObject([{ ratings: [{ lastWorked: "2025-11-30T00:00:00Z" }] }]);
  });

  test("a profile image that is null counts as absent [D-94]", async () => {
    fixture.receiver.respond = respondWithList([{ ...dana, profileImageUrl: null, newer: null }, dana]);
    const withoutImage = Object.fromEntries(Object.entries(dana).filter(([name]) => name !== "profileImageUrl"));
    expect((await search())?.suggestions).toStrictEqual([{ ...withoutImage, newer: null }, dana]);
    for (const name of ["name", "emailAddress", "ratings"])
      expect(await getSearchOutcome([{ ...dana, [name]: null }])).toContain(`[0].${name}`);
  });

  test.each([
    ["2025-11-30T17:00Z", "2025-11-30T17:00:00Z"],
    ["2025-11-30T17:00:00-00:00", "2025-11-30T17:00:00Z"],
    ["2025-11-30t17:00:00.5z", "2025-11-30T17:00:00.5Z"],
    ["2025-11-30T19:00:00+02:00", "2025-11-30T17:00:00Z"],
  ])("lastWorked %s is accepted and shown as %s", async (lastWorked, shown) => {
    fixture.receiver.respond = respondWithList([{ ...dana, ratings: [{ ...rating, lastWorked }] }]);
    expect((await search())?.suggestions).toMatchObject([{ ratings: [{ lastWorked: shown }] }]);
  });

  test("a suggestion response is shown only when it is an array of suggestion objects with status 200 [interface: Webhooks Contact suggestions] [interface: Errors 4]", async () => {
    for (const body of [{ suggestions: [dana] }, dana, "dana", null, [null], [[dana]]])
      expect(await getSearchOutcome(body)).not.toBe("shown");
    for (const status of [201, 204, 302, 500]) {
      fixture.receiver.respond = respondWith(status, {}, JSON.stringify([dana]));
      expect((await search())?.failure?.code).toBe("unexpected_status");
    }
    expect([await getSearchOutcome([dana]), await getSearchOutcome([])]).toEqual(["shown", "shown"]);
  });

  test("a suggestion response with an invalid field is rejected as a whole, and the hirer sees the field name but not its value [D-21] [interface: Errors 4]", async () => {
    const message = await getSearchOutcome([dana, { ...dana, emailAddress: "PRIVATE" }]);
    expect(message).toContain("[1].emailAddress");
    expect(message).not.toContain("PRIVATE");
  });
});
