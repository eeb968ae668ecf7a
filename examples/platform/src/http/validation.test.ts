import { expect, test } from "vitest";
import { z } from "zod";
import { addFieldError, fieldErrors, fieldName, parseBody } from "./validation.ts";

const schema = z.array(z.string().min(1)).min(1);

test("returns a body that matches its schema", () => expect(parseBody(schema, ["amal"])).toEqual(["amal"]));

test("rejects an invalid body and lists every invalid field", () =>
  expect(() => parseBody(schema, ["amal", "", 7])).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      message: "2 fields are not valid; see errors.",
      errors: new Map([
        ["[1]", ["Do not leave it empty."]],
        ["[2]", ["Make it a string."]],
      ]),
    }),
  ));

const errorsOf = (schema: z.ZodType, input: unknown) =>
  Object.fromEntries(fieldErrors(schema.safeParse(input).error?.issues ?? [], input));

test.each([
  [["events", 0, "end"], "events[0].end"],
  [[0, "ratings", 1, "lastWorked"], "[0].ratings[1].lastWorked"],
  [[2], "[2]"],
  [["workerIds"], "workerIds"],
  [[], "body"],
])("formats the path %j as %s", (path, name) => expect(fieldName(path)).toBe(name));

test("distinguishes a missing field from a wrong type", () =>
  expect(errorsOf(z.object({ title: z.string(), details: z.string() }), { details: 7 })).toEqual({
    title: ["Add this field; it is required."],
    details: ["Make it a string."],
  }));

test("reports the missing field, not the whole body", () => {
  const schema = z.object({ events: z.array(z.object({ start: z.string() })) });
  expect(errorsOf(schema, { events: [{ start: "" }, {}] })).toEqual({
    "events[1].start": ["Add this field; it is required."],
  });
  expect(errorsOf(schema, undefined)).toEqual({ body: ["Make it an object."] });
});

test.each<[string, unknown]>([
  ["not an object", "text"],
  ["null", null],
])("reports a missing field when its parent is %s", (_, event) => {
  const path = ["event", "start"];
  expect(fieldErrors([{ code: "invalid_type", expected: "string", path, message: "" }], { event })).toEqual(
    new Map([["event.start", ["Add this field; it is required."]]]),
  );
});

test.each<[string, z.ZodType, unknown, string]>([
  ["a value that is not an array", z.array(z.string()), {}, "Make it an array."],
  ["a value that is not a whole number", z.int(), 1.5, "Make it a whole number."],
  ["a value that is not a boolean", z.boolean(), "true", "Make it a boolean."],
  ["an empty string", z.string().min(1), "", "Do not leave it empty."],
  ["a string that is too short", z.string().min(3), "ab", "Use at least 3 characters."],
  ["a string that is too long", z.string().max(3), "abcd", "Use at most 3 characters."],
  ["a list that is too short", z.array(z.string()).min(2), ["a"], "Use at least 2."],
  ["a list that is too long", z.array(z.string()).max(1), ["a", "b"], "Use at most 1."],
  ["a number that is too small", z.number().min(1), 0, "Make it at least 1."],
  ["a number that is too large", z.number().max(5), 6, "Use at most 5."],
  ["an unknown enum value", z.enum(["ios", "android"]), "palm", "Use one of: ios, android."],
  ["an unknown format", z.string().regex(/^x$/), "y", "Use the documented format."],
  ["a custom rule", z.string().refine(() => false, { error: "Remove the dot." }), "a.b", "Remove the dot."],
  ["a rule without a message", z.union([z.string(), z.number()]), true, "Correct it as documented."],
])("explains how to fix %s", (_, schema, value, remedy) =>
  expect(errorsOf(z.object({ field: schema }), { field: value })).toEqual({ field: [remedy] }),
);

test.each([
  ["start", "Use a UTC date-time, such as 2099-05-01T16:00:00Z."],
  ["end", "Use a UTC date-time, such as 2099-05-01T22:00:00Z."],
  ["lastWorked", "Use a UTC date-time, such as 2099-05-01T16:00:00Z."],
  ["notifyEmailAddress", "Use one email address, such as hana@example.com."],
  ["emailAddress", "Use one email address, such as hana@example.com."],
  ["profileImageUrl", "Use a full URL that starts with https:// or http://."],
])("reports an example of a valid %s", (field, remedy) =>
  expect(errorsOf(z.object({ [field]: z.string().regex(/^x$/) }), { [field]: "y" })).toEqual({ [field]: [remedy] }),
);

test("asks for at least one worker when the list is empty", () =>
  expect(errorsOf(z.object({ workerIds: z.array(z.string()).min(1) }), { workerIds: [] })).toEqual({
    workerIds: ["Choose at least one worker."],
  }));

test("reports an unknown field under its name, even __proto__", () =>
  expect(errorsOf(z.strictObject({}), JSON.parse('{"titel":1,"__proto__":1}'))).toEqual(
    JSON.parse('{"titel":["R"],"__proto__":["R"]}', (_, value) =>
      value === "R" ? "Remove it, or correct its name: there is no such field." : value,
    ),
  ));

test("reports the same remedy only once when two rules reject a string", () =>
  expect(errorsOf(z.object({ start: z.iso.datetime().regex(/Z$/) }), { start: "tomorrow" })).toEqual({
    start: ["Use a UTC date-time, such as 2099-05-01T16:00:00Z."],
  }));

test("reports the whole body when it is not an object", () =>
  expect(errorsOf(z.object({}), [])).toEqual({ body: ["Make it an object."] }));

test("reports all remedies for a field", () =>
  expect(errorsOf(z.object({ code: z.string().max(1).regex(/^x/) }), { code: "yy" })).toEqual({
    code: ["Use at most 1 character.", "Use the documented format."],
  }));

test("reports only the type for a field of the wrong type", () =>
  expect(errorsOf(z.object({ code: z.string().min(1).max(3) }), { code: [] })).toEqual({
    code: ["Make it a string."],
  }));

test("reports the same remedy for an empty list of workers whether it is a field or the whole body", () =>
  expect(errorsOf(z.array(z.string()).min(1), [])).toEqual({ body: ["Choose at least one worker."] }));

test("never quotes an invalid value [D-49]", () =>
  expect(JSON.stringify(errorsOf(z.object({ emailAddress: z.email() }), { emailAddress: "s3cret" }))).not.toContain(
    "s3cret",
  ));

test("reports at most 100 fields", () => {
  const errors = new Map<string, string[]>();
  for (let index = 0; index < 1_000; index += 1) addFieldError(errors, `workerIds[${index}]`, "wrong");
  expect(errors.size).toBe(100);
  addFieldError(errors, "workerIds[99]", "and wrong again");
  expect(errors.get("workerIds[99]")).toEqual(["wrong", "and wrong again"]);
});
