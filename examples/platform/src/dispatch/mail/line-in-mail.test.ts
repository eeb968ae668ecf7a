import { expect, test } from "vitest";
import { fc } from "../../../../../tools/property-seed.ts";
import { lineInMail } from "./line-in-mail.ts";

test.each([
  "Kitchen help on Friday",
  "Bar, 18:00–22:00, £15.50/h",
  "Köche (m/w/d) am 05.03.2027",
  "厨房の手伝い",
  "Chef 🙂 & Co.",
])("%j stays as it is", (text) => expect(lineInMail(text)).toBe(text));

test.each([
  ["Bar\r\nBcc: eve@evil.example\r\n\r\nVisit us", "Bar Bcc: eve@ evil. example Visit us"],
  ["Bar\u2028next\u2029line\u0085end", "Bar next line end"],
  ["https://evil.example/login", "https: //evil. example/login"],
  ["ｈttps：//www．evil。example", "https: //www. evil。 example"],
  ["evil.\u200bexample <b>now</b>", "evil. \u200bexample b now /b"],
  ["mailto:eve@evil.example", "mailto: eve@ evil. example"],
  ["\u202egnp.exe", "gnp. exe"],
])("%j becomes %j", (text, line) => expect(lineInMail(text)).toBe(line));

const pieces = [
  "evil",
  "example",
  "com",
  "www",
  "http",
  "tel",
  ".",
  ":",
  "/",
  "\\",
  "@",
  "。",
  "．",
  "：",
  "…",
  " ",
  "\n",
  "\u2028",
  "\u202e",
  "\u200b",
  "\u0301",
  "0",
  "<",
  ">",
];

test("no text becomes a link or another line, and a second time changes nothing", () => {
  const text = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join("")),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(text, (given) => {
      const line = lineInMail(given);
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}<>]/u);
      expect(line).not.toMatch(/[\p{L}\p{N}]:[^\s\d]|[.@。][\p{L}\p{M}]/u);
      expect(lineInMail(line)).toBe(line);
    }),
    { numRuns: 3_000 },
  );
});
