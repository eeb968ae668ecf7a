import { expect, test } from "vitest";
import { AbortedError, TimeoutError } from "./no-response-errors.ts";
import { unannotated } from "./unannotated.ts";

test("an error is branded by a symbol that every copy of the package knows", () =>
  expect(Reflect.get(new TimeoutError(""), Symbol.for("@offers/client/error"))).toBe(true));

test("an error that no call has annotated is marked by a symbol that every copy of the package knows", () =>
  expect(unannotated).toBe(Symbol.for("@offers/client/unannotated")));

test.each([
  [new TimeoutError("m"), "TimeoutError: m"],
  [new AbortedError("m"), "AbortedError: m"],
])("%s shows its name", (error, shown) => expect(String(error)).toBe(shown));
