import { createTestService } from "@offers/client/testing";
import { expect, test } from "vitest";
import { fc, pickNumRuns } from "../../../../scripts/property-seed.ts";
import { parseSuggestions } from "../../src/accounts/contact-suggestions.ts";
import { storySuggestion } from "./story-receiver.ts";

/** Generates mostly valid values. A list with many random fields would hardly ever be accepted. */
const mostly = (...validValues: unknown[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...validValues) }, fc.jsonValue(), fc.string({ unit: "binary" }));

const rating = fc.record(
  {
    rating: mostly(1, 5, 3),
    ratingProvider: mostly("Harbour Kitchen", ""),
    lastWorked: mostly("2025-11-30T17:00:00Z", "2025-11-30", "2025-11-30T17:00:00+02:00", "2025-13-30"),
    note: fc.constant("x"),
  },
  { requiredKeys: ["rating", "ratingProvider"] },
);

const suggestion = fc.record(
  {
    name: mostly("Dana Kim", "a".repeat(500), "a".repeat(501), "", "\u3164", "two\nlines", "\u202eturned"),
    emailAddress: mostly("dana.kim@example.com", "nobody", "ü@exämple.de"),
    profileImageUrl: mostly(
      "https://example.com/dana.png",
      "HTTP://example.com",
      null,
      "ftp://example.com",
      "https://",
    ),
    ratings: fc.oneof({ weight: 12, arbitrary: fc.array(rating, { maxLength: 2 }) }, fc.jsonValue()),
    more: fc.jsonValue(),
  },
  { requiredKeys: ["name", "emailAddress", "ratings"] },
);

const body = fc.oneof(
  { weight: 8, arbitrary: fc.array(suggestion, { maxLength: 2 }).map((list) => JSON.stringify(list)) },
  fc.json(),
  fc.string({ unit: "binary" }),
  fc.constant(`[${" ".repeat(1_048_575)}]`),
);

test("the in-memory service accepts the same lists of suggestions as the platform [D-69]", async () => {
  let list = "";
  const handler = async (request: Request) => new Response(request.method === "POST" ? list : null);
  const service = createTestService();
  await service.deliverTo(handler, { secret: "any", sign: () => ({}) });
  const searchInMemory = async (): Promise<unknown> => {
    try {
      return await service.suggestContacts({ userEmailAddresses: [] });
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const outcomes = new Set<unknown>();
  const property = fc.asyncProperty(body, async (text) => {
    list = text;
    const bytes = Buffer.from(text);
    const limit = 1_048_576;
    const checked = parseSuggestions({
      ok: true,
      status: 200,
      body: bytes.subarray(0, limit),
      truncated: bytes.length > limit,
      durationMs: 0,
    });
    const expected = Array.isArray(checked) ? checked : checked.code;
    expect(await searchInMemory()).toEqual(expected);
    outcomes.add(Array.isArray(expected) ? expected.length : expected);
  });
  const valid = JSON.stringify([{ ...storySuggestion, profileImageUrl: null }]);
  await fc.assert(property, { numRuns: pickNumRuns(200, 1_000), examples: [[valid]] });
  expect([...outcomes]).toEqual(
    expect.arrayContaining([0, 1, "malformed_json", "invalid_suggestions", "response_too_large"]),
  );
});
