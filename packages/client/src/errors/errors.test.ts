import { expect, test } from "vitest";
import { AbortedError, TimeoutError } from "./no-response-errors.ts";
import { unclaimed } from "./unclaimed.ts";

test("an error is branded by a symbol that every copy of the package knows", () =>
  expect(Reflect.get(new TimeoutError(""), Symbol.for("@offers/client/error"))).toBe(true));

test("an error that no call has claimed is marked by a symbol that every copy of the package knows", () =>
  expect(unclaimed).toBe(Symbol.for("@offers/client/unclaimed")));

test.each([
  [new TimeoutError("m"), "TimeoutError: m"],
  [new AbortedError("m"), "AbortedError: m"],
])("%s shows its name", (error, shown) => expect(String(error)).toBe(shown));
