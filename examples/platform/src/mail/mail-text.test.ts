import { expect, test } from "vitest";
import { fc, pickNumRuns } from "../../../../scripts/property-seed.ts";
import { greeting, offerSummary, toEmailLine } from "./mail-text.ts";

test.each([
  "Dana Kim",
  "Émile Dupont",
  "Guest 12",
  "O'Brien",
  "Siobhán O’Brien-Núñez",
  "J. R. Smith",
  "J.R. Smith",
  "Dr. Ana Ruiz",
  "Kim, Dana",
  "Anna (Köchin)",
  "厨房 太郎",
  "佐々木 ケー",
  "علی‌رضا احمدی",
  "Gal·la Puig",
  "Мар'яна",
  "Sammy Davis Jr.",
])("greets %j by name", (name) => expect(greeting(name)).toBe(`Dear ${name},`));

test.each([
  "evil.example",
  "Dana evil.example",
  "t.co",
  "J.R.Smith",
  "www.evil",
  "https://evil.example",
  "http:evil",
  "//evil.example",
  "evil．example",
  "evil。example",
  "evil｡example",
  "evil․example",
  "evil…example",
  "ｈttps：／／evil",
  "evil.example．",
  "Dana <b>",
  "Dana@evil",
  "mailto:eve",
  "Dana\nBcc: x",
  "Dana\r\n\r\nVisit us",
  "Dana\tKim",
  "Dana\u2028Kim",
  "Dana\u0085Kim",
  "Dana\u202eelpmaxe",
  "Dana\u2066",
  "Da\u200bna",
  "Da\u00adna",
  "evil\u2060.example",
  "Dana\0",
  "Call 0800 123456",
  "x".repeat(61),
  "",
  " ",
  "...",
  "Dana; Kim",
  "[Dana](evil)",
  "Dana & Co/evil",
  "Dana\\evil",
  "a@b",
  "℀",
  "Dana 🙂",
])("greets %j without a name", (name) => expect(greeting(name)).toBe("Hello,"));

const nameParts = [
  "Dana",
  "Kim",
  "evil",
  "example",
  "com",
  "www",
  "http",
  "https",
  "J",
  "1",
  "42",
  "厨",
  "ｅ",
  "。",
  "｡",
  "．",
  "․",
  "‥",
  "℀",
  "⁄",
  "：",
  "／",
  ".",
  ":",
  "/",
  "//",
  "://",
  "\\",
  "@",
  "<",
  ">",
  "(",
  ")",
  ",",
  "-",
  "'",
  "’",
  "·",
  " ",
  "\u00a0",
  "\n",
  "\r",
  "\u2028",
  "\u2029",
  "\u200b",
  "\u200c",
  "\u200d",
  "\u202e",
  "\u2066",
  "\u00ad",
  "\ufeff",
  "\u0301",
  "\u034f",
  "\u3164",
  "ꓸ",
  "%2E",
  "&#46;",
  "&period;",
];

test("a name never adds a link, a line or a change of text direction to the greeting [D-87]", () => {
  const name = fc
    .array(
      fc.oneof(
        { weight: 8, arbitrary: fc.constantFrom(...nameParts) },
        { weight: 1, arbitrary: fc.string({ unit: "grapheme" }) },
      ),
      { maxLength: 14 },
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(name, (text) => {
      const greeted = greeting(text);
      if (greeted === "Hello,") return;
      for (const form of ["NFC", "NFKC", "NFD"] as const) {
        const line = greeted.normalize(form);
        expect(line).toMatch(/^Dear .+,$/u);
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}<>@:/\\]/u);
        // The shortest possible domain: a word, a dot and two letters.
        expect(line).not.toMatch(/[\p{L}\p{N}]\P{White_Space}*[.。][\p{L}\p{N}][^\s.]/u);
        expect(line.length).toBeLessThanOrEqual(200);
      }
    }),
    { numRuns: pickNumRuns(500, 5_000) },
  );
});

test.each([
  "Kitchen help on Friday",
  "Bar, 18:00–22:00, £15.50/h",
  "Köche (m/w/d) am 05.03.2027",
  "厨房の手伝い",
  "Chef 🙂 & Co.",
])("leaves %j unchanged in an email", (text) => expect(toEmailLine(text)).toBe(text));

test.each([
  ["Bar\r\nBcc: eve@evil.example\r\n\r\nVisit us", "Bar Bcc: eve@ evil. example Visit us"],
  ["Bar\u2028next\u2029line\u0085end", "Bar next line end"],
  ["https://evil.example/login", "https: //evil. example/login"],
  ["ｈttps：//www．evil。example", "https: //www. evil。 example"],
  ["evil.\u200bexample <b>now</b>", "evil. \u200bexample b now /b"],
  ["mailto:eve@evil.example", "mailto: eve@ evil. example"],
  ["\u202egnp.exe", "gnp. exe"],
])("replaces %j with %j in an email [D-89]", (text, line) => expect(toEmailLine(text)).toBe(line));

const lineParts = [
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

test("toEmailLine never returns a link or a second line, and is idempotent", () => {
  const text = fc.oneof(
    fc.array(fc.constantFrom(...lineParts), { maxLength: 12 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(text, (input) => {
      const line = toEmailLine(input);
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}<>]/u);
      expect(line).not.toMatch(/[\p{L}\p{N}]:[^\s\d]|[.@。][\p{L}\p{M}]/u);
      expect(toEmailLine(line)).toBe(line);
    }),
    { numRuns: pickNumRuns(300, 3_000) },
  );
});

test.each([
  [6, "and 1 more time slot"],
  [7, "and 2 more time slots"],
])("lists five of %i time slots %s", (count, last) => {
  const events = Array.from({ length: count }, () => ({ start: "2027-03-05T17:00:00Z", end: "2027-03-05T23:00:00Z" }));
  expect(offerSummary({ events, place: "", timeZone: "Europe/London" }).slice(5)).toEqual([last]);
});
