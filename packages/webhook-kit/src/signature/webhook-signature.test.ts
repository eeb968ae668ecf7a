import { describe, expect, test } from "vitest";
import { isJoined, parseWebhookSignature } from "./standard-webhooks.ts";

const bytesOf = (value: number) => Buffer.alloc(32, value);
const signature = (value: number) => bytesOf(value).toString("base64");
const good = `v1,${signature(1)}`;

describe("parseWebhookSignature", () => {
  test("parses a header with one signature", () => expect(parseWebhookSignature(good)).toEqual([bytesOf(1)]));

  test("parses a header with several signatures, in order", () =>
    expect(parseWebhookSignature(`v1,${signature(2)} v1,${signature(1)}`)).toEqual([bytesOf(2), bytesOf(1)]));

  test.each(["v1a,c29tZSBlZDI1NTE5", "v2,short", `v2,${signature(3)}`, "v-next_2,~", `V1,${signature(3)}`])(
    "skips %s, a signature with an unknown version",
    (other) => {
      expect(parseWebhookSignature(`${other} ${good}`)).toEqual([bytesOf(1)]);
      expect(parseWebhookSignature(`${good} ${other}`)).toEqual([bytesOf(1)]);
      expect(parseWebhookSignature(other)).toBeUndefined();
    },
  );

  test("accepts at most sixteen signatures of any version", () => {
    const sixteen = Array.from({ length: 16 }, (_, index) => `v1,${signature(index)}`);
    expect(parseWebhookSignature(sixteen.join(" "))).toHaveLength(16);
    expect(parseWebhookSignature([...sixteen, good].join(" "))).toBeUndefined();
    expect(parseWebhookSignature([...sixteen, "v1a,x"].join(" "))).toBeUndefined();
    expect(parseWebhookSignature(`${"v1a,x ".repeat(15)}${good}`)).toEqual([bytesOf(1)]);
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
    ["missing padding", good.slice(0, -1)],
    ["stray bits before the padding", `v1,${signature(0).slice(0, -2)}B=`],
    ["the URL-safe alphabet", `v1,${Buffer.alloc(32, 0xfb).toString("base64url")}=`],
    ["hexadecimal digits", `v1,${bytesOf(1).toString("hex")}`],
    ["letters that are not ASCII", `v1,${"é".repeat(44)}`],
    ["a version that is not ASCII", `vé,x ${good}`],
    ["letters that are not ASCII in another version", `v1a,é ${good}`],
    ["a letter that is not ASCII before another version", `év1a,x ${good}`],
    ["a letter that is not ASCII after another version", `v1a,xé ${good}`],
    ["a control character in another version", `v1a,\u0000 ${good}`],
    ["garbage after the signature", `${good}AAAA`],
    ["a space before it", ` ${good}`],
    ["a space after it", `${good} `],
    ["two spaces in between", `${good}  ${good}`],
    ["a tab in between", `${good}\t${good}`],
    ["a trailing line break", `${good}\n`],
    ["a comma in between", `${good},${good}`],
    ["a comma and a space in between", `${good}, ${good}`],
    ["an invalid signature after a valid one", `${good} v1,AAAA`],
    ["an invalid signature before a valid one", `v1,AAAA ${good}`],
  ])("rejects a header with %s [D-65]", (_, text) => expect(parseWebhookSignature(text)).toBeUndefined());
});

test.each([good, `${good} ${good}`, `${good} v1a,x`, "v1,", "v1", "", " "])(
  "isJoined does not mistake %j for joined headers",
  (text) => expect(isJoined(text)).toBe(false),
);

test.each([
  `${good}, ${good}`,
  `${good},${good}`,
  `${good} ${good}, ${good}`,
  `${good}, `,
  `, ${good}`,
  `,${good}`,
  `${good},`,
  ",",
])("isJoined recognises %j as two headers that a runtime joined", (text) => expect(isJoined(text)).toBe(true));
