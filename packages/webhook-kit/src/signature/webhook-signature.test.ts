import { describe, expect, test } from "vitest";
import { isJoined, parseWebhookSignature } from "./standard-webhooks.ts";

const bytesOf = (value: number) => Buffer.alloc(32, value);
const signature = (value: number) => bytesOf(value).toString("base64");
const validSignature = `v1,${signature(1)}`;

describe("parseWebhookSignature", () => {
  test("parses a header with one signature", () => expect(parseWebhookSignature(validSignature)).toEqual([bytesOf(1)]));

  test("parses a header with several signatures, in order", () =>
    expect(parseWebhookSignature(`v1,${signature(2)} v1,${signature(1)}`)).toEqual([bytesOf(2), bytesOf(1)]));

  test.each(["v1a,c29tZSBlZDI1NTE5", "v2,short", `v2,${signature(3)}`, "v-next_2,~", `V1,${signature(3)}`])(
    "skips %s, a signature with an unknown version",
    (other) => {
      expect(parseWebhookSignature(`${other} ${validSignature}`)).toEqual([bytesOf(1)]);
      expect(parseWebhookSignature(`${validSignature} ${other}`)).toEqual([bytesOf(1)]);
      expect(parseWebhookSignature(other)).toBeUndefined();
    },
  );

  test("accepts at most sixteen signatures of any version", () => {
    const sixteen = Array.from({ length: 16 }, (_, index) => `v1,${signature(index)}`);
    expect(parseWebhookSignature(sixteen.join(" "))).toHaveLength(16);
    expect(parseWebhookSignature([...sixteen, validSignature].join(" "))).toBeUndefined();
    expect(parseWebhookSignature([...sixteen, "v1a,x"].join(" "))).toBeUndefined();
    expect(parseWebhookSignature(`${"v1a,x ".repeat(15)}${validSignature}`)).toEqual([bytesOf(1)]);
  });

  test.each([
    ["no content", ""],
    ["a space", " "],
    ["no version", signature(1)],
    ["no signature", "v1"],
    ["an empty signature", "v1,"],
    ["an empty version", `,${signature(1)}`],
    ["a prefix of a signature", `v1,${signature(1).slice(0, 20)}`],
    ["31 bytes", `v1,${Buffer.alloc(31).toString("base64")}`],
    ["33 bytes", `v1,${Buffer.alloc(33).toString("base64")}`],
    ["missing padding", validSignature.slice(0, -1)],
    ["stray bits before the padding", `v1,${signature(0).slice(0, -2)}B=`],
    ["the URL-safe alphabet", `v1,${Buffer.alloc(32, 0xfb).toString("base64url")}=`],
    ["hexadecimal digits", `v1,${bytesOf(1).toString("hex")}`],
    ["letters that are not ASCII", `v1,${"é".repeat(44)}`],
    ["a version that is not ASCII", `vé,x ${validSignature}`],
    ["letters that are not ASCII in another version", `v1a,é ${validSignature}`],
    ["a letter that is not ASCII before another version", `év1a,x ${validSignature}`],
    ["a letter that is not ASCII after another version", `v1a,xé ${validSignature}`],
    ["a control character in another version", `v1a,\u0000 ${validSignature}`],
    ["garbage after the signature", `${validSignature}AAAA`],
    ["a space before it", ` ${validSignature}`],
    ["a space after it", `${validSignature} `],
    ["two spaces in between", `${validSignature}  ${validSignature}`],
    ["a tab in between", `${validSignature}\t${validSignature}`],
    ["a trailing line break", `${validSignature}\n`],
    ["a comma in between", `${validSignature},${validSignature}`],
    ["a comma and a space in between", `${validSignature}, ${validSignature}`],
    ["an invalid signature after a valid one", `${validSignature} v1,AAAA`],
    ["an invalid signature before a valid one", `v1,AAAA ${validSignature}`],
  ])("rejects a header with %s [D-65]", (_, text) => expect(parseWebhookSignature(text)).toBeUndefined());
});

test.each([validSignature, `${validSignature} ${validSignature}`, `${validSignature} v1a,x`, "v1,", "v1", "", " "])(
  "isJoined does not mistake %j for joined headers",
  (text) => expect(isJoined(text)).toBe(false),
);

test.each([
  `${validSignature}, ${validSignature}`,
  `${validSignature},${validSignature}`,
  `${validSignature} ${validSignature}, ${validSignature}`,
  `${validSignature}, `,
  `, ${validSignature}`,
  `,${validSignature}`,
  `${validSignature},`,
  ",",
])("isJoined recognises %j as two headers that a runtime joined", (text) => expect(isJoined(text)).toBe(true));
