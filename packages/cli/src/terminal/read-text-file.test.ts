import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readTextFile } from "./read-text-file.ts";

const folder = mkdtempSync(join(tmpdir(), "offers-text-"));
afterAll(() => rmSync(folder, { recursive: true }));

function readFileOf(bytes: Buffer): string {
  const file = join(folder, "secret.txt");
  writeFileSync(file, bytes);
  return readTextFile(file);
}

const utf16 = Buffer.from("\ufeffschlüssel\r\n", "utf16le");

test.each([
  ["UTF-8", Buffer.from("schlüssel\r\n")],
  ["UTF-8 with a byte order mark", Buffer.from("\ufeffschlüssel\r\n")],
  ["UTF-16, little endian", utf16],
  ["UTF-16, big endian", Buffer.from(utf16).swap16()],
])("a file in %s is read", (_, bytes) => expect(readFileOf(bytes)).toBe("schlüssel\r\n"));

test.each([
  ["UTF-16 without a byte order mark", Buffer.from("secret", "utf16le"), "not UTF-8"],
  ["ISO 8859-1", Buffer.from("schlüssel", "latin1"), "ERR_ENCODING_INVALID_ENCODED_DATA"],
])("a file in %s is rejected", (_, bytes, code) =>
  expect(() => readFileOf(bytes)).toThrow(expect.objectContaining({ code })),
);
