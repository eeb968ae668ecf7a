import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { encrypt } from "../store/encrypt.ts";
import { decryptImageUrl, detectImageType, encryptImageUrl } from "./profile-images.ts";

// The first bytes of real image files.
test.each([
  ["89504e470d0a1a0a0000000d49484452", "image/png"],
  ["ffd8ffe000104a4649460001", "image/jpeg"],
  ["474946383761010001", "image/gif"],
  ["474946383961010001", "image/gif"],
  ["524946462400000057454250565038", "image/webp"],
  ["00000020667479706176696600000000617669666d6966316d69616600000000", "image/avif"],
  ["0000001c667479706d696631000000006d696631617669666d696166", "image/avif"],
  ["00000014667479706176697300000000617669736d7366", "image/avif"],
])("detects the type of %s: %s", (hex, type) => expect(detectImageType(Buffer.from(hex, "hex"))).toBe(type));

test.each([
  ["an empty body", Buffer.alloc(0)],
  ["SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ["HTML", Buffer.from("<!doctype html><title>x</title>")],
  ["SVG behind the word PNG", Buffer.from("PNG\r\n<svg/>")],
  ["a video", Buffer.from("0000001c6674797069736f6d0000020069736f6d69736f326d703431", "hex")],
  ["audio", Buffer.from("524946462400000057415645666d7420", "hex")],
  ["an incomplete signature", Buffer.from("89504e47", "hex")],
  ["HEIC", Buffer.from("00000018667479706865696300000000686569636d696631", "hex")],
])("does not recognise %s as an image", (_, bytes) => expect(detectImageType(bytes)).toBeUndefined());

const key = randomBytes(32);
const url = "https://images.example.com/dana.png?size=80";

test("encrypts a URL into a reference and decrypts it", () => {
  const reference = encryptImageUrl(url, key, "session") ?? "";
  expect(reference).toMatch(/^v1\.[\w-]+$/);
  expect(decryptImageUrl(reference, key, "session")).toBe(url);
});

test.each([
  ["from a different session", () => encryptImageUrl(url, key, "other")],
  ["encrypted with a different key", () => encryptImageUrl(url, randomBytes(32), "session")],
  ["encrypted for a different purpose", () => encrypt(url, key, "session")],
  ["made up", () => url],
  ["empty", () => ""],
])("rejects a reference that is %s", (_, make) =>
  expect(() => decryptImageUrl(make() ?? "", key, "session")).toThrow(),
);

test("does not create a reference for a URL that is too long", () =>
  expect(encryptImageUrl(`https://images.example.com/${"x".repeat(2_000)}`, key, "session")).toBeUndefined());
