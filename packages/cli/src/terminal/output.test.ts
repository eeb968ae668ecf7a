import { expect, test } from "vitest";
import { createMask, cut, styleFor, toPrintable, widthOf } from "./output.ts";

test.each([
  ["\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"],
  ["one\r\ntwo\nthree", "one\ntwo\nthree"],
  ["over\rwrite", "over\\x0dwrite"],
  ["a\u202eb\u0007", "a\\u202eb\\x07"],
  ["Zoë 日本 🔑", "Zoë 日本 🔑"],
  ["👩\u200d🍳", "👩\u200d🍳"],
])("toPrintable converts %j to %j [D-102]", (text, expected) => expect(toPrintable(text)).toBe(expected));

const secret = "Überraschung-für-Zoë";

test.each([
  secret,
  secret.toUpperCase(),
  Buffer.from(secret).toString("latin1"),
  Buffer.from(secret).toString("base64"),
])("the mask hides %s [D-102]", (form) =>
  expect(createMask([undefined, "", secret])(`before ${form} after`)).toBe("before <secret> after"),
);

test("the mask does not change a string without a secret", () =>
  expect(createMask([undefined, ""])("text")).toBe("text"));

test("styleFor does not colour strings for a stream that is not a terminal", () =>
  expect(styleFor({ isTTY: false } as NodeJS.WriteStream)("red", "text")).toBe("text"));

test("cut does not split a character", () => {
  expect(cut("ab🍳", 2)).toBe("ab");
  expect(cut("ab🍳", 3)).toBe("ab");
  expect(cut("ab🍳", 4)).toBe("ab🍳");
});

test.each([
  [undefined, 80],
  [0, 80],
  [60, 60],
  [200, 100],
])("the lines on a terminal of %s columns have %d characters", (columns, width) =>
  expect(widthOf({ columns } as NodeJS.WriteStream)).toBe(width),
);
