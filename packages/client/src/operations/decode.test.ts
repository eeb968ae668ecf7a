import { expect, test } from "vitest";
import { acknowledge } from "./acknowledge.ts";
import { createOffer } from "./create-offer.ts";

test.each(["", "done", "offer < shift", "ok<br>"])("%j acknowledges", (text) =>
  expect(acknowledge(text)).toBeUndefined(),
);

test.each(["<!doctype html>", "\n  <html>"])("%j does not acknowledge", (text) =>
  expect(() => acknowledge(text)).toThrow(),
);

test.each([
  ["offer_1", "offer_1"],
  [" offer_1\n", "offer_1"],
  ["nullable_1", "nullable_1"],
  ["12345678901234567890", "12345678901234567890"],
  ['"two words"', "two words"],
  ['{"id":"offer_1"}', "offer_1"],
])("%j is the id %s", (text, id) => expect(createOffer.decode(text)).toEqual({ id }));

test.each(["", "two words", "null", '""', "{}", '{"id":7}', '["offer_1"]', "<p>offer_1"])("%j is no id", (text) =>
  expect(() => createOffer.decode(text)).toThrow(),
);
