import { expect, test } from "vitest";
import { readOptions } from "./options.ts";

test.each([["--tracee"], ["--trace=yes"], ["trace"], ["--dialect", "spoken"]])("refuses %s %s", (...args) => {
  expect(() => readOptions(args)).toThrow(/npm start -- \[options\]/);
});
