import { expect, test } from "vitest";
import { truncateUtf8 } from "./truncate-utf8.ts";

test.each([
  ["text", Buffer.from("Grüße"), "Grüße"],
  ["nothing", Buffer.alloc(0), ""],
  ["a character that does not fit", Buffer.from("1234567ü"), "1234567"],
  ["exactly as much as fits", Buffer.from("123456ü"), "123456ü"],
  ["a null character", Buffer.from("a\0b"), "a\ufffdb"],
  ["bytes that are no UTF-8", Buffer.from([0x61, 0xff, 0xed, 0xa0, 0x80]), "a\ufffd\ufffd\ufffd\ufffd"],
  ["half a character at its own end", Buffer.from([0x61, 0xc3]), "a\ufffd"],
])("keeps of %s what the limit allows", (_, body, text) => expect(truncateUtf8(body, 8)).toBe(text));
