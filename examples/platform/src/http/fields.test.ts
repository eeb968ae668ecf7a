import { offerCreationSchema } from "@offers/contract/schemas";
import { expect, test } from "vitest";
import { isVisible, lineField, remedyForText, textField, toSearchText, truncateText, truncateUtf8 } from "./fields.ts";

test.each(["x", "x".repeat(500), "厨房"])("accepts %j as a string field", (text) =>
  expect(textField.parse(text)).toBe(text),
);

test.each(["", "x".repeat(501), 7, undefined])("rejects %j as a string field", (text) =>
  expect(textField.safeParse(text).success).toBe(false),
);

test("rejects a string that cannot be stored, and explains what to remove", () =>
  expect(textField.safeParse("a\0b").error?.issues).toMatchObject([
    { code: "custom", message: "Remove the character U+0000." },
  ]));

test.each(["Dana Kim", "Émile", "厨房"])("accepts %j as a single-line field", (text) =>
  expect(lineField.parse(text)).toBe(text),
);

test.each(["a\nb", "a\r\nBcc: b", "a\tb", "a\u0085b", "a\u2028b", "a\u2029b"])(
  "rejects %j as a single-line field, and explains what to remove",
  (text) =>
    expect(lineField.safeParse(text).error?.issues).toMatchObject([
      { message: "Remove the line break or control character." },
    ]),
);

test.each(["\u200b\u2800", " \u3164", "a\u202eb", "\u2066a", "a\u2029b"])(
  "rejects a line that is blank or contains a line break or direction control: %j [D-89]",
  (text) => {
    expect(lineField.safeParse(text).success).toBe(false);
    expect(lineField.safeParse("\u200f\u05de\u05dc\u05e6\u05e8").success).toBe(true);
  },
);

test.each(["", "Küche 厨房", "👩‍🍳", "\u0001\t\n", "\ufffd"])("accepts %j, which PostgreSQL can store", (text) =>
  expect(remedyForText(text)).toBeUndefined(),
);

test.each([
  ["a\0b", "Remove the character U+0000."],
  ["\ud83d", "Remove the lone surrogate."],
  ["\udc69\ud83d", "Remove the lone surrogate."],
])("rejects %j, which PostgreSQL cannot store: %s", (text, remedy) => expect(remedyForText(text)).toBe(remedy));

const isValidTitle = (title: string): boolean =>
  offerCreationSchema.safeParse({ createdByUserId: "hana", title, workerIds: ["amal"] }).success;

/** Yields all characters except lone surrogates. */
function* characters(): Generator<string> {
  for (let code = 0; code <= 0x10ffff; code += 1) if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
}

/** Matches invisible characters by their Unicode properties rather than by the platform's list. */
const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Control}\p{Format}\p{Mark}\p{Separator}\p{Unassigned}\p{Private_Use}]/u;

test("considers ignorable, mark, space and unassigned characters invisible [D-89]", () => {
  const wronglyVisible = [...characters()].filter((character) => invisible.test(character) && isVisible(character));
  expect(wronglyVisible).toEqual([]);
});

test("considers all remaining characters visible, except for a few blank characters", () => {
  const blank = [...characters()].filter((character) => !invisible.test(character) && !isVisible(character));
  expect(blank).toEqual(["\u2800", "\ufffc", "\u{13441}", "\u{13442}", "\u{1d159}"]);
});

const blanks = [
  "\u200b",
  "\u2800",
  "\u202e",
  "\u00ad",
  "\u3164",
  "\u115f",
  "\u1160",
  "\uffa0",
  "\u180e",
  "\u2060",
  "\ufeff",
  "\u061c",
  "\u{e0020}\u{e007f}",
  "\ufe0f",
  "\u{e0100}",
  "\u034f",
  "\u0301",
  "\u20e3",
  "\u3000",
  "\u00a0\u2003\u1680",
  "\u0085",
  "\u2028\u2029",
  "\u{1d173}",
  "\u{1d159}",
  "\ufffc",
  "\ue000",
  "\u0378",
  "\ufdd0",
  "\u200d\u200c\u200e\u200f",
  "\u0001\u007f",
].map((text) => [
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^ -~]/gu, (character) => `U+${character.codePointAt(0)?.toString(16)}`),
  text,
]);

test.each(blanks)(
  "rejects a title of only %s, and accepts a title with an additional letter [D-89]",
  (_, blank = "") => {
    expect(isValidTitle(blank)).toBe(false);
    expect(isValidTitle(blank.repeat(10))).toBe(false);
    expect(isValidTitle(` ${blank}a`)).toBe(true);
  },
);

test.each(["Bar", "厨房", "7", "!", "☕", "👩🏽‍🍳", "מלצר", "\u200fמלצר", "ก็", "नि", "-", "€", "é"])(
  "accepts %s as a title",
  (title) => expect(isValidTitle(title)).toBe(true),
);

test.each([
  ["a string that fits", Buffer.from("Grüße"), "Grüße"],
  ["an empty body", Buffer.alloc(0), ""],
  ["a character that does not fit", Buffer.from("1234567ü"), "1234567"],
  ["exactly as much as fits", Buffer.from("123456ü"), "123456ü"],
  ["a null character", Buffer.from("a\0b"), "a\ufffdb"],
  ["invalid UTF-8", Buffer.from([0x61, 0xff, 0xed, 0xa0, 0x80]), "a\ufffd\ufffd\ufffd\ufffd"],
  ["an incomplete last character", Buffer.from([0x61, 0xc3]), "a\ufffd"],
])("truncates a body to eight bytes: %s", (_, body, text) => expect(truncateUtf8(body, 8)).toBe(text));

// Sizes in UTF-8: an é of two code points has 3 bytes, a flag 8, the family 18. JSON escapes a quotation mark as 2 and a bell as 6.
test.each([
  ["short", 5, "short"],
  ["shorter", 5, "short"],
  ["厨房", 5, "厨"],
  ["🌙🌙", 7, "🌙"],
  ["ae\u0301", 3, "a"],
  ["🇩🇪🇫🇷", 15, "🇩🇪"],
  ["👨‍👩‍👧👨‍👩‍👧", 35, "👨‍👩‍👧"],
  ['""""', 5, '""'],
  ["\u0007\u0007", 11, "\u0007"],
  ["👨‍👩‍👧", 17, ""],
])("truncates %j to %i bytes of JSON, between characters: %j", (text, maxBytes, expected) =>
  expect(truncateText(text, maxBytes)).toBe(expected),
);

test.each([
  [" bar ", "bar"],
  [`${"a".repeat(599)}🌙`, "a".repeat(599)],
  ["a\0b", ""],
  ["\ud83c", ""],
])("reads the search text %j as %j", (input, expected) => expect(toSearchText(input)).toBe(expected));
