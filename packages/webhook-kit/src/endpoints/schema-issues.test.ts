import { registerHooks } from "node:module";
import * as schemas from "@offers/contract/schemas";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { describeIssues } from "./schema-issues.ts";

const { emailAddressSchema, utcDateTimeSchema, contactSuggestionSchema } = schemas;
const wordsOf = (schema: z.ZodType, value: unknown, describe = describeIssues) =>
  describe(schema.safeParse(value).error?.issues ?? []);

test.each<[string, z.ZodType, unknown, string[]]>([
  ["an address without @", emailAddressSchema, "dana", ["Must be an email address."]],
  [
    "a local time",
    utcDateTimeSchema,
    "2025-01-01T10:00:00",
    ["Must be a date-time with its zone, such as 2099-05-01T16:00:00Z."],
  ],
  [
    "a script",
    contactSuggestionSchema.out.shape.profileImageUrl,
    "javascript:alert(1)",
    ["Must begin with http:// or https://."],
  ],
  ["six of five", schemas.ratingSchema.shape.rating, 6, ["Too long or too large; at most 5."]],
  ["half of one", schemas.ratingSchema.shape.rating, 1.5, ["Must be a whole number."]],
  ["an empty id", schemas.idSchema, "", ["Too short or too small; at least 1."]],
  [
    "a time without its zone",
    z.iso.datetime({ offset: true }),
    "2025-01-01",
    ["Must be a date-time with its zone, such as 2099-05-01T16:00:00Z."],
  ],
])("says what is wrong with %s", (_, schema, value, words) => expect(wordsOf(schema, value)).toEqual({ body: words }));

test("names a field by its path and says each thing once", () =>
  expect(wordsOf(z.object({ list: z.array(z.object({ id: z.string() })) }), { list: [{ id: 7 }, {}] })).toEqual({
    "list[0].id": ["Must be of type string."],
    "list[1].id": ["Must be of type string."],
  }));

test("a pattern that changes in the contract keeps its words", async () => {
  const [contract, zod] = ["@offers/contract/schemas", "zod"].map((name) => import.meta.resolve(name));
  const source = `
    import * as z from "${zod}";
    export * from "${contract}";
    export const emailAddressSchema = z.string().regex(/^.+ at .+$/);`;
  const changed = `data:text/javascript,${encodeURIComponent(source)}`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(context.parentURL?.endsWith("?changed") && specifier.startsWith("@offers/") ? changed : specifier, context),
  });
  onTestFinished(() => hooks.deregister());
  const { describeIssues: describe } = await import(`./schema-issues.ts?${"changed"}`);
  const { emailAddressSchema: schema } = await import(changed);
  expect(wordsOf(schema, "dana at example")).toEqual({});
  expect(wordsOf(schema, "dana", describe)).toEqual({ body: ["Must be an email address."] });
});
