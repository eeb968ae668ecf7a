import { expect, test } from "vitest";
import { offerCreationSchema } from "../generated/schemas.ts";
import { isVisible } from "./visible-text.ts";

const isTitle = (title: string): boolean =>
  offerCreationSchema.safeParse({ createdByUserId: "hana", title, workerIds: ["amal"] }).success;

/** All characters except unpaired surrogates. */
function* characters(): Generator<string> {
  for (let code = 0; code <= 0x10ffff; code += 1) if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
}

/** Uses Unicode's properties, not our list. */
const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Control}\p{Format}\p{Mark}\p{Separator}\p{Unassigned}\p{Private_Use}]/u;

test("a character that Unicode says to ignore, mark, space or leave unassigned is not visible", () => {
  const passed = [...characters()].filter((one) => invisible.test(one) && isVisible(one));
  expect(passed).toEqual([]);
});

test("every other character is, but for the blank ones", () => {
  const refused = [...characters()].filter((one) => !invisible.test(one) && !isVisible(one));
  expect(refused).toEqual(["\u2800", "\ufffc", "\u{13441}", "\u{13442}", "\u{1d159}"]);
});

const blanks = [
  ...[
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
  ],
  ...[
    "\u{e0020}\u{e007f}",
    "\ufe0f",
    "\u{e0100}",
    "\u034f",
    "\u0301",
    "\u20e3",
    "\u3000",
    "\u00a0\u2003\u1680",
    "\u0085",
  ],
  ...[
    "\u2028\u2029",
    "\u{1d173}",
    "\u{1d159}",
    "\ufffc",
    "\ue000",
    "\u0378",
    "\ufdd0",
    "\u200d\u200c\u200e\u200f",
    "\u0001\u007f",
  ],
].map((text) => [
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^ -~]/gu, (one) => `U+${one.codePointAt(0)?.toString(16)}`),
  text,
]);

test.each(blanks)("a title of %s is refused as blank, and passes beside a letter", (_, blank = "") => {
  expect(isTitle(blank)).toBe(false);
  expect(isTitle(blank.repeat(10))).toBe(false);
  expect(isTitle(` ${blank}a`)).toBe(true);
});

test.each(["Bar", "厨房", "7", "!", "☕", "👩🏽‍🍳", "מלצר", "\u200fמלצר", "ก็", "नि", "-", "€", "é"])(
  "%s is visible",
  (title) => expect(isTitle(title)).toBe(true),
);
