import { expect, test } from "vitest";
import { lineField, textField } from "./text-field.ts";

test.each(["x", "x".repeat(500), "厨房"])("takes %j", (text) => expect(textField.parse(text)).toBe(text));

test.each(["", "x".repeat(501), 7, undefined])("refuses %j", (text) =>
  expect(textField.safeParse(text).success).toBe(false),
);

test("refuses text that cannot be stored, with a remedy", () =>
  expect(textField.safeParse("a\0b").error?.issues).toMatchObject([
    { code: "custom", message: "Remove the character U+0000." },
  ]));

test.each(["Dana Kim", "Émile", "厨房"])("takes the line %j", (text) => expect(lineField.parse(text)).toBe(text));

test.each(["a\nb", "a\r\nBcc: b", "a\tb", "a\u0085b", "a\u2028b", "a\u2029b"])(
  "refuses %j as a line, and says what to remove",
  (text) =>
    expect(lineField.safeParse(text).error?.issues).toMatchObject([
      { message: "Remove the line break or control character." },
    ]),
);

test.each(["\u200b\u2800", " \u3164", "a\u202eb", "\u2066a", "a\u2029b"])(
  "a line has a visible character, and no line break or direction control: %j",
  (text) => {
    expect(lineField.safeParse(text).success).toBe(false);
    expect(lineField.safeParse("\u200f\u05de\u05dc\u05e6\u05e8").success).toBe(true);
  },
);
