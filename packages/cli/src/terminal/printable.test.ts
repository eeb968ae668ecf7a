import { expect, test } from "vitest";
import { printable } from "./printable.ts";

test.each([
  ["\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"],
  ["one\r\ntwo\nthree", "one\ntwo\nthree"],
  ["over\rwrite", "over\\x0dwrite"],
  ["a\u202eb\u0007", "a\\u202eb\\x07"],
  ["Zoë 日本 🔑", "Zoë 日本 🔑"],
])("%j is printed as %j", (text, expected) => expect(printable(text)).toBe(expected));
