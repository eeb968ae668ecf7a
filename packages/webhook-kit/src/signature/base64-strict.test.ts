import { expect, test } from "vitest";
import { decodeBase64 } from "./standard-webhooks.ts";

// RFC 4648, section 10.
test.each([
  ["", ""],
  ["Zg==", "f"],
  ["Zm8=", "fo"],
  ["Zm9v", "foo"],
  ["Zm9vYg==", "foob"],
  ["Zm9vYmE=", "fooba"],
  ["Zm9vYmFy", "foobar"],
])("decodeBase64 decodes %j as RFC 4648 requires", (text, bytes) =>
  expect(decodeBase64(text)).toEqual(Buffer.from(bytes)),
);

test("decodeBase64 decodes plus and slash", () =>
  expect(decodeBase64("+/+/")).toEqual(Buffer.from([0xfb, 0xff, 0xbf])));

test.each([
  ["missing padding", "Zg"],
  ["half the padding", "Zg="],
  ["too much padding", "Zm8=="],
  ["padding after whole groups", "Zm9v===="],
  ["padding in the middle", "Zg==Zg=="],
  ["padding alone", "===="],
  ["a single character", "Z"],
  ["one character too many", "Zm9vZ"],
  ["stray bits before two padding characters", "Zh=="],
  ["stray bits before one padding character", "Zm9="],
  ["the URL-safe alphabet", "-_-_"],
  ["a space inside", "Zm 9v"],
  ["a line break inside", "Zm9v\nYmFy"],
  ["a line break at the end", "Zm9v\n"],
  ["white space around it", " Zm9v "],
  ["garbage after valid base64", "Zm9v!!!!"],
  ["garbage before valid base64", "!!!!Zm9v"],
  ["letters that are not ASCII", "Zm9ｖ"],
])("decodeBase64 rejects %s", (_, text) => expect(decodeBase64(text)).toBeUndefined());
