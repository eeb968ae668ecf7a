import { describe, expect, test } from "vitest";
import { isJson, parseJson } from "./read-input.ts";

describe("content types", () => {
  test.each([
    "application/json",
    "Application/JSON",
    "application/json;",
    "application/json; ",
    "application/json ; charset=utf-8",
    "application/json;charset=UTF-8",
    'application/json;\t charset \t=  "utf-8" \t; ',
    "application/problem+json",
    "application/vnd.offers.v1+json; charset=utf-8",
    "application/a!#$&^+b-c+json",
    "application/json; version=1",
    "application/json;odata.metadata=minimal; charset=utf-8",
    'application/json; charset=utf-8; note="a; charset=latin1"',
    "application/json; xcharset=latin1",
    "application/json; charsetx=latin1",
    "application/json;;",
  ])("isJson accepts the content type %j", (type) => expect(isJson(["content-type", type])).toBe(true));

  test.each([
    "",
    "json",
    "text/json",
    "text/plain; application/json",
    "application/jsonp",
    "application/json5",
    "application/+json",
    "application/a b+json",
    "application/json; charset=latin1",
    "application/json; charset=utf-16",
    "application/json; charset=utf-8x",
    "application/json; charset utf-8",
    "application/json; charset=xutf-8",
    "application/json; charset=utf-8; charset=latin1",
    "application/json; version=1; charset=latin1",
    "application/json; version",
    "application/json, application/json",
    "application/json; x",
    "application/jsonx; charset=utf-8",
    "application/json;x charset=utf-8",
    'application/json; charset="utf-8"x',
    "multipart/form-data; boundary=application/json",
  ])("isJson rejects the content type %j", (type) => expect(isJson(["content-type", type])).toBe(false));

  test("isJson rejects a missing or repeated Content-Type header", () => {
    expect(isJson([])).toBe(false);
    expect(isJson(["content-type", "application/json", "Content-Type", "application/json"])).toBe(false);
  });
});

test.each([
  ["identity", true],
  ["Identity", true],
  ["gzip", false],
  ["identity, gzip", false],
  ["", false],
])("with the content encoding %j, isJson returns %s", (encoding, accepted) =>
  expect(isJson(["content-type", "application/json", "Content-Encoding", encoding])).toBe(accepted),
);

test("isJson rejects two Content-Encoding headers", () => {
  const twice = ["content-encoding", "identity", "content-encoding", "identity"];
  expect(isJson(["content-type", "application/json", ...twice])).toBe(false);
});

describe("bodies", () => {
  const parse = (bytes: Uint8Array | string) => parseJson({ kind: "bytes", bytes: Buffer.from(bytes) });
  const rejectedWith = (reason: string) =>
    expect.objectContaining({
      rejection: expect.objectContaining({ code: reason, status: 400 }),
      response: expect.anything(),
    });

  test("parseJson accepts a body with or without a byte order mark", () => {
    expect(parse('{"a":[1,"é"]}')).toEqual({ a: [1, "é"] });
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
    expect(parse("null")).toBeNull();
  });

  test.each(["", "{", "undefined", "{'a':1}", "NaN", '{"a":1}x'])("parseJson rejects the body %j", (text) =>
    expect(() => parse(text)).toThrow(rejectedWith("malformed_json")),
  );

  test.each([[[0x22, 0xff, 0x22]], [[0x22, 0xc0, 0x80, 0x22]], [[0x22, 0xed, 0xa0, 0x80, 0x22]], [[0xff, 0xfe]]])(
    "parseJson rejects bytes that are not UTF-8: %j",
    (bytes) => expect(() => parse(Uint8Array.from(bytes))).toThrow(rejectedWith("invalid_encoding")),
  );

  test("parseJson returns the value that a body parser has already parsed", () =>
    expect(parseJson({ kind: "parsed", value: [1] })).toEqual([1]));
});
