import { expect, test } from "vitest";
import { hide, quote, textsOf } from "./read-problem.ts";

test.each([
  ["to bo@bistro.example", "to [address]"],
  ['"hana@harbour.example"', '"[address]"'],
  ["\n line one\r\n\tline\u0007two ", "line one line two"],
  ["exactly 20 characters", "exactly 20 character…"],
  ["exactly 20 character", "exactly 20 character"],
  ["no space at the end of it", "no space at the end…"],
])("of %j a message holds %j", (text, quoted) => expect(quote(text, 20)).toBe(quoted));

test.each([[["Kitchen", "Kitchen help"]], [["Kitchen help", "Kitchen"]]])(
  "a text that was sent is hidden whole, also where another is part of it: %j",
  (sent) => expect(hide(sent, "Kitchen help, Kitchen, kitchen")).toBe("[sent], [sent], kitchen"),
);

test("the texts of a body are its strings of three characters or more, and the id", () => {
  const body = JSON.stringify({ title: "Amy", details: "no", workerIds: ["w_1", 4711, null], events: [{}, {}, {}] });
  expect(textsOf(body, "offer_1").sort()).toEqual(["Amy", "offer_1", "w_1"]);
  expect(textsOf(null, undefined)).toEqual([]);
});
