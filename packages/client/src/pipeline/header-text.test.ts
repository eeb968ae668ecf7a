import { expect, test } from "vitest";
import { headerName, headerText } from "./header-text.ts";

test.each(["k", "ke", "a key with ~tilde and !mark"])("%j can be a header's value", (value) =>
  expect(headerText("apiKey", value)).toBe(value),
);

test("a header's name is in lower case", () => expect(headerName("headers", "X-Team")).toBe("x-team"));

test("a refusal names the option, and not the value", () => {
  const refused = { code: "invalid_option", message: expect.stringMatching(/^userAgent holds a character/) };
  expect(() => headerText("userAgent", "se\ncret")).toThrow(expect.objectContaining(refused));
});
