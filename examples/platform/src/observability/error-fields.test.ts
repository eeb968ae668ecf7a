import { expect, test } from "vitest";
import { errorFields } from "./error-fields.ts";

test("logs class, code and location of an error and its cause, but no message", () => {
  const cause = Object.assign(new RangeError("value hunter2"), { code: "22P02", detail: "Key (hunter2)" });
  const fields = errorFields(new TypeError("about hunter2\nat hunter2", { cause }));
  expect(fields).toMatchObject({ error: "TypeError", cause: { error: "RangeError", code: "22P02" } });
  expect(JSON.stringify(fields)).toContain("error-fields.test.ts");
  expect(JSON.stringify(fields)).not.toContain("hunter2");
});

test.each(["about\n    at hunter2", "about\n    at hunter2 (file:1:1)", "$&\n    at hunter2 (file:1:1)"])(
  "a message that looks like a stack frame is not logged: %j",
  (message) => {
    const fields = errorFields(new Error(message));
    expect(JSON.stringify(fields)).toContain("error-fields.test.ts");
    expect(JSON.stringify(fields)).not.toContain("hunter2");
  },
);

test("an error that is its own cause ends the chain of causes", () => {
  const error = new Error("round");
  error.cause = error;
  expect(errorFields(error)).toMatchObject({ error: "Error", cause: { error: "Error" } });
});

test("logs only the type of a value that is not an error", () =>
  expect(errorFields("hunter2")).toEqual({ error: "string" }));
