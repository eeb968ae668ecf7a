import { expect, test } from "vitest";
import { completeOffer, createOffer } from "./operations.ts";

const ignore = () => {};

test.each(["", "done", "offer < shift", "ok<br>"])("a completion accepts the response body %j", (text) =>
  expect(completeOffer.decode(text, ignore)).toBeUndefined(),
);

test.each(["<!doctype html>", "\n  <html>"])("a completion rejects the response body %j", (text) =>
  expect(() => completeOffer.decode(text, ignore)).toThrow(),
);

test.each([
  ["offer_1", "offer_1"],
  [" offer_1\n", "offer_1"],
  ["nullable_1", "nullable_1"],
  ["12345678901234567890", "12345678901234567890"],
  ['"two words"', "two words"],
  ['{"id":"offer_1"}', "offer_1"],
  ['{"id":7}', "7"],
])("the id in the response %j is %s", (text, id) => expect(createOffer.decode(text, ignore)).toEqual({ id }));

test.each([
  "",
  "two words",
  "null",
  '""',
  "{}",
  '{"id":90071992547409931}',
  '{"id":true}',
  '["offer_1"]',
  "<p>offer_1",
])("the response %j does not contain an id", (text) => expect(() => createOffer.decode(text, ignore)).toThrow());
