import { expect, test } from "vitest";
import { findMismatch, type Shape } from "./find-mismatch.ts";

const shape: Shape = { id: "string", "note?": "string", "tags?": ["string"], "place?": { city: "string" } };

test.each([
  [{ id: "a" }, undefined],
  [{ id: "a", note: "n", tags: [], place: { city: "c" }, more: 1 }, undefined],
  [{ id: "a", note: 7 }, [".note", "is a number, not a string"]],
  [{ id: "a", tags: ["x", null] }, [".tags[1]", "is null, not a string"]],
  [{ id: "a", place: {} }, [".place.city", "is missing"]],
  [{ id: null }, [".id", "is null, not a string"]],
])("%j has the fault %j", (value, fault) => expect(findMismatch(value, shape)).toEqual(fault));

test("null for an optional field is absent", () => {
  const value = { id: "a", note: null, tags: null, place: undefined };
  expect(findMismatch(value, shape)).toBeUndefined();
  expect(Object.keys(value)).toEqual(["id"]);
});
