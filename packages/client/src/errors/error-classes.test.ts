import { expect, test } from "vitest";
import { AbortedError, TimeoutError } from "./error-classes.ts";

test("an error is branded with a symbol that all copies of the package share", () =>
  expect(Reflect.get(new TimeoutError(""), Symbol.for("@offers/client/error"))).toBe(true));

test.each([
  [new TimeoutError("m"), "TimeoutError: m"],
  [new AbortedError("m"), "AbortedError: m"],
])("%s has its own name", (error, shown) => expect(String(error)).toBe(shown));
