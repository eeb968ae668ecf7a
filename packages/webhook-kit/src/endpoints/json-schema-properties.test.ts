// Compares the kit's schemas with the zod schemas that another generator creates from the same document.
import * as zodSchemas from "@offers/contract/schemas";
import { expect, test } from "vitest";
import * as z from "zod";
import { fc } from "../../../../scripts/property-seed.ts";
import { inputSchemas, responseSchemas } from "../generated/payload-schemas.ts";
import { describeIssues, type Schema, validate } from "./json-schema.ts";

const anyValue = fc.oneof(
  fc.constantFrom("", "2099-05-01", null, undefined, true, Infinity, Number.NaN, 3n),
  fc.string(),
  fc.jsonValue(),
);
const mostlyValid = (valid: fc.Arbitrary<unknown>, ...invalid: unknown[]) =>
  fc.oneof({ weight: 24, arbitrary: valid }, { weight: 2, arbitrary: fc.constantFrom("", ...invalid) }, anyValue);

const longestAddress = `${"😀".repeat(252)}@b`;
const address = mostlyValid(
  fc.constantFrom("a@b", "jörg@exämple.com", longestAddress),
  " a@b",
  "a@b@c",
  "none",
  `😀${longestAddress}`,
);
const url = mostlyValid(
  fc.oneof(fc.webUrl(), fc.constantFrom("HTTP://a", " http://a\n", "https://a.exa\nmple", "http:a")),
  ...["http://", "ftp://a", "javascript:a", "a"],
);
const time = mostlyValid(
  fc.constantFrom("2099-05-01T16:00:00Z", "2099-05-01T16:00:00.5+05:45", "2099-05-01 16:00+00:00", "2099-05-01t16:00z"),
  ...["2099-05-01T16:00:00", "2099-02-30T00:00:00Z"],
);
const id = mostlyValid(fc.string({ unit: "grapheme", minLength: 1 }), 7);

/** Generates objects with these fields and two unknown ones. One object in ten may lack any of the fields. */
const recordOf = (fields: Record<string, fc.Arbitrary<unknown>>) => {
  const allFields = { ...fields, newer: anyValue, toString: anyValue };
  return fc.oneof({ weight: 9, arbitrary: fc.record(allFields) }, fc.record(allFields, { requiredKeys: [] }));
};

const rating = recordOf({
  rating: mostlyValid(fc.integer({ min: 1, max: 5 }), 0, 6, 1.5),
  ratingProvider: id,
  lastWorked: time,
});
const suggestion = recordOf({
  name: id,
  emailAddress: address,
  profileImageUrl: url,
  ratings: fc.array(rating, { maxLength: 2 }),
});

const pairs: [where: string, kitSchema: Schema, zodSchema: z.ZodType, values: fc.Arbitrary<unknown>][] = [
  [
    "/contact/new/{workerId}",
    inputSchemas["/contact/new/{workerId}"],
    z.looseObject({ workerId: zodSchemas.idSchema }),
    recordOf({ workerId: id }),
  ],
  [
    "/contact-suggestions",
    inputSchemas["/contact-suggestions"],
    zodSchemas.contactSuggestionRequestSchema,
    recordOf({ filter: id, userEmailAddresses: fc.array(address, { maxLength: 3 }) }),
  ],
  [
    "/offer/response",
    inputSchemas["/offer/response"],
    zodSchemas.workerOfferResponseSchema,
    recordOf({ offerId: id, workerId: id, response: id }),
  ],
  [
    "/offer/eventDeleted",
    inputSchemas["/offer/eventDeleted"],
    zodSchemas.offerEventDeletedSchema,
    recordOf({ offerId: id, workerId: id, eventStart: time }),
  ],
  [
    "/events/timelineChanged",
    inputSchemas["/events/timelineChanged"],
    zodSchemas.timelineChangedSchema,
    recordOf({
      workerId: id,
      offerId: id,
      periodStart: time,
      periodEnd: time,
      completedAt: time,
      maxAvailableNow: mostlyValid(fc.double({ noNaN: true, noDefaultInfinity: true })),
      maxAvailableNowCreated: time,
    }),
  ],
  [
    "the response to /contact-suggestions",
    responseSchemas["/contact-suggestions"],
    zodSchemas.contactSuggestionsSchema,
    fc.array(fc.oneof({ weight: 9, arbitrary: suggestion }, anyValue), { maxLength: 3 }),
  ],
];

test.each(pairs)(
  "the schema for %s accepts, converts and rejects the same values as zod",
  (_, kitSchema, zodSchema, values) => {
    const counts = { accepted: 0, rejected: 0 };
    fc.assert(
      fc.property(fc.oneof({ weight: 19, arbitrary: values }, anyValue), (value) => {
        const { data, issues } = validate(kitSchema, value);
        const expected = zodSchema.safeParse(value);
        expect(describeIssues(issues)).toEqual(toMessages(expected.error?.issues ?? []));
        if (expected.success) expect(data).toEqual(expected.data);
        counts[expected.success ? "accepted" : "rejected"] += 1;
      }),
      { numRuns: 500 },
    );
    // Both valid and invalid values were generated.
    expect(Math.min(counts.accepted, counts.rejected)).toBeGreaterThan(20);
  },
);

/** Translates zod's issues into the kit's messages. */
function toMessages(issues: readonly z.core.$ZodIssue[]): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const issue of issues) {
    const field = z.core.toDotPath(issue.path) || "body";
    fields[field] ??= [];
    const bound = getBound(issue);
    // zod also checks the length of an array that should be a string, and limits every integer.
    const isExtra =
      bound !== 0 && (fields[field].includes("Must be of type string.") || Math.abs(Number(bound)) > 2 ** 52);
    if (!isExtra) fields[field].push(formatMessage(issue));
  }
  return fields;
}

/** Returns the limit that a value violates; 0 for an issue that is not about a limit. */
function getBound(issue: z.core.$ZodIssue): number | bigint {
  if (issue.code === "too_small") return issue.minimum;
  return issue.code === "too_big" ? issue.maximum : 0;
}

function formatMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type")
    return issue.expected === "int" ? "Must be an integer." : `Must be of type ${issue.expected}.`;
  if (issue.code === "too_small") return `Too short or too small; at least ${issue.minimum}.`;
  if (issue.code === "too_big") return `Too long or too large; at most ${issue.maximum}.`;
  if (issue.code === "custom") return issue.message.replace("Use", "Must have");
  if (issue.code !== "invalid_format") return issue.code;
  if (issue.format === "datetime") return "Must be a date-time with a time zone, such as 2099-05-01T16:00:00Z.";
  if (issue.format === "url") return "Must be a full URL.";
  return issue.pattern?.includes("@") ? "Must be an email address." : "Must start with http:// or https://.";
}
