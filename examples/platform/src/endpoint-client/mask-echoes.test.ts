import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { createEchoMask } from "./mask-echoes.ts";

const digest = createHash("sha256").update("2026-11-22T10:00:00Zs3cret").digest("hex").toUpperCase();
const signature = createHash("sha256").update("signed").digest("base64");
const secret = "correct horse battery staple+/";
const confidential = { signatures: [digest, signature], secrets: [secret] };
const mask = (text: string, isCut = false) => createEchoMask(confidential)(Buffer.from(text), isCut).toString();

const escapeWith = (escapeCode: (code: number) => string) => (text: string) =>
  [...text].map((character) => escapeCode(character.charCodeAt(0))).join("");
const hex = (code: number) => code.toString(16).padStart(2, "0");
const swapCase = (text: string) =>
  text.replace(/[a-z]/gi, (character) =>
    character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase(),
  );

const encodings: Record<string, (text: string) => string> = {
  unchanged: (text) => text,
  "in lower case": (text) => text.toLowerCase(),
  "in upper case": (text) => text.toUpperCase(),
  "with its case swapped": swapCase,
  backwards: (text) => [...text].reverse().join(""),
  "in JSON": (text) => JSON.stringify({ authorization: `hmac ${text}` }),
  "in JSON in JSON": (text) => JSON.stringify(JSON.stringify({ text })),
  "with slashes escaped": (text) => text.replaceAll("/", "\\/"),
  "in \\u escapes": escapeWith((code) => `\\u00${hex(code)}`),
  "in \\x escapes": escapeWith((code) => `\\x${hex(code)}`),
  "percent-encoded": encodeURIComponent,
  "percent-encoded throughout": escapeWith((code) => `%${hex(code)}`),
  "percent-encoded twice": (text) => encodeURIComponent(escapeWith((code) => `%${hex(code)}`)(text)),
  "in decimal HTML entities": escapeWith((code) => `&#${code};`),
  "in hexadecimal HTML entities": escapeWith((code) => `&#x${hex(code)};`),
  "with + and = as HTML entities": (text) => text.replaceAll("+", "&#43;").replaceAll("=", "&#61;"),
  "in hexadecimal": (text) => Buffer.from(text).toString("hex"),
  "in base64": (text) => Buffer.from(text).toString("base64"),
  "in base64 of lower case": (text) => Buffer.from(text.toLowerCase()).toString("base64"),
  "in base64url": (text) => Buffer.from(text).toString("base64url"),
  "in base64 after one byte": (text) => Buffer.from(`:${text}!`).toString("base64"),
  "in base64 after two bytes": (text) => Buffer.from(`::${text}!!`).toString("base64"),
  "as a Buffer in JSON": (text) => JSON.stringify(Buffer.from(text)),
  "with separators": (text) => (text.match(/../g) ?? []).join(":"),
  "in lines": (text) => (text.match(/.{1,10}/g) ?? []).join("\r\n"),
  "in UTF-16": (text) => Buffer.from(text, "utf16le").toString("latin1"),
};

test.each(Object.entries(encodings))("masks an echo %s [D-49]", (_, encode) => {
  for (const text of [digest, signature, secret]) {
    const echo = encode(text);
    const masked = mask(echo);
    expect(masked).toContain("***");
    expect(masked).not.toContain(text);
    // No 16 characters from the middle of the echo may remain.
    for (const start of [0.4, 0.5, 0.6]) {
      const part = echo.slice(echo.length * start).slice(0, 16);
      expect(masked).not.toContain(part);
    }
  }
});

test("masks the bytes of a digest in base64, and the bytes of a signature in hexadecimal", () => {
  expect(mask(`x ${Buffer.from(digest, "hex").toString("base64")}`)).toMatch(/^x \*\*\*=?$/);
  expect(mask(`x ${Buffer.from(signature, "base64").toString("hex")} y`)).toBe("x *** y");
});

test("masks a digest from another attempt by its shape, even when nothing was signed", () => {
  const otherDigest = randomBytes(32);
  const unsigned = { signatures: [], secrets: [] };
  const text = `got hmac ${otherDigest.toString("hex")}, v1,${otherDigest.toString("base64")}`;
  expect(createEchoMask(unsigned)(Buffer.from(text)).toString()).toBe("got hmac ***, ***");
});

test("masks every run of eight characters of a signature, wherever the echo starts, ends or is cut [D-49]", () => {
  const part = fc.tuple(
    fc.constantFrom(digest, signature.replace(/=$/, "")),
    fc.nat(56),
    fc.integer({ min: 8, max: 64 }),
  );
  fc.assert(
    fc.property(part, fc.string(), fc.string(), fc.boolean(), ([text, from, length], before, after, isCut) => {
      const echo = text.slice(from, from + length);
      if (echo.replace(/[^\da-z]/gi, "").length < 8) return;
      const masked = mask(`${before} ${echo}${isCut ? "" : ` ${after}`}`, isCut);
      for (let at = 0; at + 8 <= echo.length; at += 1) {
        const run = echo.slice(at, at + 8);
        if (!/[^\da-z]/i.test(run)) expect(masked).not.toContain(run);
      }
    }),
  );
});

test.each([4, 5, 6, 7])("masks %i characters of a digest at the end of a truncated response", (length) => {
  expect(mask(`{"got":"${digest.slice(0, length)}`, true)).toBe('{"got":"***');
  expect(mask(`{"got":"${digest.slice(0, length)}"}`)).toContain(digest.slice(0, length));
});

test("leaves text without an echo unchanged", () => {
  const text =
    'No such order: {"id":"0b7c6f0e-5a3e-4f3b-9c59-0c7b7b1f2a11"} — 100 % wrong, correct the horse & try again &#9731;';
  expect(mask(text)).toBe(text);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(createEchoMask(confidential)(Buffer.from(bytes))).toEqual(Buffer.from(bytes));
    }),
  );
});

test("keeps JSON valid when it masks an echo in it", () => {
  const json = JSON.stringify([
    { name: `hmac ${digest}`, emailAddress: "a@b.example", parts: [digest.slice(0, 32), digest.slice(32)] },
  ]);
  expect(JSON.parse(mask(json))).toEqual([{ name: "hmac ***", emailAddress: "a@b.example", parts: ["***", "***"] }]);
});
