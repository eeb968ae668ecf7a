import { expect, test } from "vitest";
import { inputSchemas, responseSchemas } from "../generated/payload-schemas.ts";
import { describeIssues, type Schema, validate } from "./json-schema.ts";

const emailAddress: Schema = inputSchemas["/contact-suggestions"].properties.userEmailAddresses.items;
const { profileImageUrl, ratings } = responseSchemas["/contact-suggestions"].items.properties;
const { rating, lastWorked } = ratings.items.properties;

const explain = (schema: Schema, value: unknown) => describeIssues(validate(schema, value).issues);

test.each<[string, Schema, unknown, string[]]>([
  ["an address without @", emailAddress, "dana", ["Must be an email address."]],
  [
    "a local time",
    lastWorked,
    "2025-01-01T10:00:00",
    ["Must be a date-time with a time zone, such as 2099-05-01T16:00:00Z."],
  ],
  ["a script", profileImageUrl, "javascript:alert(1)", ["Must start with http:// or https://."]],
  ["a rating of six", rating, 6, ["Too long or too large; at most 5."]],
  ["a fractional rating", rating, 1.5, ["Must be an integer."]],
  ["an empty id", inputSchemas["/offer/response"].properties.offerId, "", ["Too short or too small; at least 1."]],
  [
    "a date without a time",
    inputSchemas["/offer/eventDeleted"].properties.eventStart,
    "2025-01-01",
    ["Must be a date-time with a time zone, such as 2099-05-01T16:00:00Z."],
  ],
])("the issue for %s explains the problem", (_, schema, value, messages) =>
  expect(explain(schema, value)).toEqual({ body: messages }),
);

test("each issue is listed under the path of its field", () => {
  const entry: Schema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
  const schema: Schema = { type: "object", properties: { list: { type: "array", items: entry } } };
  expect(explain(schema, { list: [{ id: 7 }, {}] })).toEqual({
    "list[0].id": ["Must be of type string."],
    "list[1].id": ["Must be of type string."],
  });
});

test("the message does not depend on the contract's pattern", () => {
  const schema = { ...emailAddress, pattern: /^.+ at .+$/ };
  expect(explain(schema, "dana at example")).toEqual({});
  expect(explain(schema, "dana")).toEqual({ body: ["Must be an email address."] });
});
