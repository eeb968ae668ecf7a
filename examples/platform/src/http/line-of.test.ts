import { expect, test } from "vitest";
import { lineOf } from "./line-of.ts";

test("mail has a title in one line, without direction controls", () => {
  expect(lineOf("Bar\r\nBcc: eve@example.com\u2028now")).toBe("Bar Bcc: eve@example.com now");
  expect(lineOf("\u202egnp.exe\u202c \u2067a\u2069\u200f\u05de")).toBe("gnp.exe a\u200f\u05de");
});
