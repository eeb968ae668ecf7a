import { expect, test } from "vitest";
import { AbortedError, TimeoutError } from "./error-classes.ts";

test("an error is branded by a symbol that every copy of the package knows", () =>
  expect(Reflect.get(new TimeoutError(""), Symbol.for("@offers/client/error"))).toBe(true));

test.each([
  [new TimeoutError("m"), "TimeoutError: m"],
  [new AbortedError("m"), "AbortedError: m"],
])("%s shows its name", (error, shown) => expect(String(error)).toBe(shown));
