import { expect, test } from "vitest";
import { z } from "zod";
import { addFieldError, fieldErrors, fieldName } from "./field-errors.ts";

const errorsOf = (schema: z.ZodType, input: unknown) =>
  Object.fromEntries(fieldErrors(schema.safeParse(input).error?.issues ?? [], input));

test.each([
  [["events", 0, "end"], "events[0].end"],
  [[2], "[2]"],
  [["workerIds"], "workerIds"],
  [[], "body"],
])("%j is called %s", (path, name) => expect(fieldName(path)).toBe(name));

test("tells a missing field from one of a wrong type", () =>
  expect(errorsOf(z.object({ title: z.string(), details: z.string() }), { details: 7 })).toEqual({
    title: ["Add this field; it is required."],
    details: ["Make it a string."],
  }));

test("names an unknown field by its own name, also an odd one", () =>
  expect(errorsOf(z.strictObject({}), JSON.parse('{"titel":1,"__proto__":1}'))).toEqual(
    JSON.parse('{"titel":["R"],"__proto__":["R"]}', (_, value) =>
      value === "R" ? "Remove it, or correct its name: there is no such field." : value,
    ),
  ));

test("says a thing once when two rules refuse one text", () =>
  expect(errorsOf(z.object({ start: z.iso.datetime().regex(/Z$/) }), { start: "tomorrow" })).toEqual({
    start: ["Write a date-time in UTC, such as 2099-05-01T16:00:00Z."],
  }));

test("calls a body that is no object wrong as a whole", () =>
  expect(errorsOf(z.object({}), [])).toEqual({ body: ["Make it an object."] }));

test("repeats no value", () =>
  expect(JSON.stringify(errorsOf(z.object({ emailAddress: z.email() }), { emailAddress: "s3cret" }))).not.toContain(
    "s3cret",
  ));

test("names at most a hundred fields", () => {
  const errors = new Map<string, string[]>();
  for (let index = 0; index < 1_000; index += 1) addFieldError(errors, `workerIds[${index}]`, "wrong");
  expect(errors.size).toBe(100);
});
