import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { encrypt } from "../store/encrypt.ts";
import { referenceOf, urlOf } from "./profile-image-reference.ts";

const key = randomBytes(32);
const url = "https://images.example.com/dana.png?size=80";

test("a reference leads to its address, and does not show it", () => {
  const reference = referenceOf(url, key, "session") ?? "";
  expect(reference).toMatch(/^v1\.[\w-]+$/);
  expect(urlOf(reference, key, "session")).toBe(url);
});

test.each([
  ["of another session", () => referenceOf(url, key, "other")],
  ["under another key", () => referenceOf(url, randomBytes(32), "session")],
  ["encrypted for another use", () => encrypt(url, key, "session")],
  ["made up", () => url],
  ["empty", () => ""],
])("one %s does not", (_, make) => expect(() => urlOf(make() ?? "", key, "session")).toThrow());

test("an address that is too long has none", () =>
  expect(referenceOf(`https://images.example.com/${"x".repeat(2_000)}`, key, "session")).toBeUndefined());
