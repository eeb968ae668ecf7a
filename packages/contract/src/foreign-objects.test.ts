import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { isBytes, isDate, isError } from "./foreign-objects.ts";

const foreign = (expression: string): unknown => runInNewContext(expression, { structuredClone });

test("the objects of another realm are recognised", () => {
  expect(isDate(foreign("new Date(0)"))).toBe(true);
  expect(isBytes(foreign("new Uint8Array(1)"))).toBe(true);
  for (const error of ["new Error('x')", "new TypeError('x')", "new (class Own extends Error {})('x')"])
    expect(isError(foreign(error))).toBe(true);
});

test("the objects of this realm and of its subclasses are recognised", () => {
  class OwnDate extends Date {}
  class OwnError extends Error {
    readonly [Symbol.toStringTag] = "OwnError";
  }
  expect(isDate(new OwnDate())).toBe(true);
  expect(isBytes(Buffer.of(1))).toBe(true);
  expect(isError(new OwnError())).toBe(true);
  expect(isError(new DOMException())).toBe(true);
});

test.each([
  undefined,
  null,
  7,
  "text",
  {},
  [],
  { name: "Error", message: "x" },
  new ArrayBuffer(1),
  new Uint16Array(1),
])("%j is not a date, bytes or an error", (value) =>
  expect([isDate(value), isBytes(value), isError(value)]).toEqual([false, false, false]),
);
