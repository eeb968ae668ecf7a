import { expect, test } from "vitest";
import { errorFields } from "./error-fields.ts";

test("tells kind, code and place of an error and its cause, but no message", () => {
  const cause = Object.assign(new RangeError("value hunter2"), { code: "22P02", detail: "Key (hunter2)" });
  const fields = errorFields(new TypeError("about hunter2\nat hunter2", { cause }));
  expect(fields).toMatchObject({ error: "TypeError", cause: { error: "RangeError", code: "22P02" } });
  expect(JSON.stringify(fields)).toContain("error-fields.test.ts");
  expect(JSON.stringify(fields)).not.toContain("hunter2");
});

test("has a word for what is no error", () => expect(errorFields("hunter2")).toEqual({ error: "string" }));
