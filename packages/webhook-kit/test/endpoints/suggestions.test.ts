import { runInNewContext } from "node:vm";
import { describe, expect, test, vi } from "vitest";
import type { ContactSuggestion } from "../../src/index.ts";
import { sampleAdapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { mount, post } from "../support/mount.ts";

captureConsole();

describe.each(sampleAdapters)("$name", (adapter) => {
  test("suggestions are sent with full timestamps and with their additional fields [D-28] [D-35] [interface: Rating lastWorked]", async () => {
    const suggestContacts = vi.fn(async () => [
      {
        name: "Dana Kim",
        emailAddress: "dana@exämple.com",
        profileImageUrl: "https://images.example.com/dana.png",
        department: "kitchen",
        ratings: [
          { rating: 5, ratingProvider: "A", lastWorked: new Date("2025-11-30T17:00:00Z") },
          { rating: 1, ratingProvider: "B", lastWorked: "2025-11-30", shifts: 7 },
        ],
      },
    ]);
    const request = await mount(adapter, { suggestContacts });
    const search = { filter: "chef", userEmailAddresses: ["hana@harbour.example"] };
    const response = await request("/contact-suggestions", post(search));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(suggestContacts).toHaveBeenCalledExactlyOnceWith(search, expect.anything());
    expect(await response.json()).toEqual([
      {
        name: "Dana Kim",
        emailAddress: "dana@exämple.com",
        profileImageUrl: "https://images.example.com/dana.png",
        department: "kitchen",
        ratings: [
          { rating: 5, ratingProvider: "A", lastWorked: "2025-11-30T17:00:00.000Z" },
          { rating: 1, ratingProvider: "B", lastWorked: "2025-11-30T00:00:00Z", shifts: 7 },
        ],
      },
    ]);
  });

  // jest #14947: under Jest, the handler's Date differs from the kit's.
  test("a Date from another realm is sent like any other", async () => {
    const lastWorked: Date = runInNewContext("new Date('2025-11-30T17:00:00Z')");
    const rating = { rating: 5, ratingProvider: "A", lastWorked };
    const suggestContacts = () => [{ name: "Dana Kim", emailAddress: "dana@example.com", ratings: [rating] }];
    const request = await mount(adapter, { suggestContacts });
    const response = await request("/contact-suggestions", post({ userEmailAddresses: [] }));
    expect(await response.json()).toMatchObject([{ ratings: [{ lastWorked: "2025-11-30T17:00:00.000Z" }] }]);
  });

  const valid = { name: "N", emailAddress: "n@example.com", ratings: [] };
  test.each<[string, unknown, string]>([
    ["no list", { suggestions: [] }, "body"],
    ["nothing", undefined, "body"],
    ["no name", [{ ...valid, name: undefined }], "[0].name"],
    ["no address", [valid, { ...valid, emailAddress: "LEAK" }], "[1].emailAddress"],
    ["a script as image", [{ ...valid, profileImageUrl: "javascript:LEAK" }], "[0].profileImageUrl"],
    [
      "six stars",
      [{ ...valid, ratings: [{ rating: 6, ratingProvider: "LEAK", lastWorked: "2025-01-01" }] }],
      "[0].ratings[0].rating",
    ],
    [
      "half a star",
      [{ ...valid, ratings: [{ rating: 1.5, ratingProvider: "LEAK", lastWorked: "2025-01-01" }] }],
      "[0].ratings[0].rating",
    ],
    [
      "an invalid date",
      [{ ...valid, ratings: [{ rating: 1, ratingProvider: "LEAK", lastWorked: new Date("LEAK") }] }],
      "[0].ratings[0].lastWorked",
    ],
    [
      "a local time",
      [{ ...valid, ratings: [{ rating: 1, ratingProvider: "LEAK", lastWorked: "2025-01-01T10:00" }] }],
      "[0].ratings[0].lastWorked",
    ],
    [
      "the 30th of February",
      [{ ...valid, ratings: [{ rating: 1, ratingProvider: "LEAK", lastWorked: "2025-02-30" }] }],
      "[0].ratings[0].lastWorked",
    ],
  ])(
    "an invalid list of suggestions (%s) gets a 500 without its values, and onError gets the field [D-21] [D-23] [interface: Suggestion name] [interface: Rating rating]",
    async (_, list, field) => {
      const onError = vi.fn();
      const request = await mount(adapter, { onError, suggestContacts: () => list as ContactSuggestion[] });
      const response = await request("/contact-suggestions", post({ userEmailAddresses: [] }));
      expect([response.status, response.headers.get("content-type")]).toEqual([500, "application/problem+json"]);
      expect(await response.text()).not.toContain("LEAK");
      const [error] = onError.mock.calls[0] ?? [];
      expect(error).toMatchObject({ code: "invalid_handler_result", fields: { [field]: expect.any(Array) } });
      expect(JSON.stringify([error.message, error.fields])).not.toContain("LEAK");
    },
  );
});
