import { expect, test } from "vitest";
import { readOptions } from "./options.ts";

test.each([["--tracee"], ["--trace=yes"], ["trace"], ["--dialect", "spoken"]])(
  "readOptions rejects %s %s",
  (...args) => {
    expect(() => readOptions(args)).toThrow(/npm start -- \[options\]/);
  },
);
