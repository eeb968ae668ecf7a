import { expect, test } from "vitest";
import { checkHeaderName, checkHeaderValue } from "./settings.ts";

test.each(["k", "ke", "a key with ~tilde and !mark"])("%j is a valid header value", (value) =>
  expect(checkHeaderValue("apiKey", value)).toBe(value),
);

test("a header name is converted to lower case", () => expect(checkHeaderName("headers", "X-Team")).toBe("x-team"));

test("the error message contains the name of the option, but not its value", () => {
  const expectedError = {
    code: "invalid_option",
    message: expect.stringMatching(/^userAgent is not printable ASCII$/),
  };
  expect(() => checkHeaderValue("userAgent", "se\ncret")).toThrow(expect.objectContaining(expectedError));
});
