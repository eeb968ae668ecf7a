import { expect, test } from "vitest";
import { UsageError } from "../errors/usage-error.ts";
import { showCallSite } from "./show-call-site.ts";

/** What the stack of an error becomes whose call was made where an engine wrote `stack`. */
function shown(stack: string | undefined): string | undefined {
  const error = Object.assign(new UsageError("id is missing"), { stack: "as it was" });
  showCallSite(error, Object.assign(new Error(), { stack }));
  return error.stack;
}

test.each([
  ["V8", "Error\n    at hire (hire.mjs:3:1)\n    at hire.mjs:9:1", "    at hire (hire.mjs:3:1)\n    at hire.mjs:9:1"],
  // It writes the name, a colon and the message, whether or not there is one.
  ["source-map-support", "Error: \n    at hire (hire.ts:3:1)", "    at hire (hire.ts:3:1)"],
  ["Firefox and Safari", "onError@hire.mjs:3:1\n@hire.mjs:9:1", "onError@hire.mjs:3:1\n@hire.mjs:9:1"],
])("the frames stand under the error's own heading as %s writes them", (_engine, stack, frames) =>
  expect(shown(stack)).toBe(`UsageError: id is missing\n${frames}`),
);

test.each([
  ["no stack", undefined],
  ["an empty one", ""],
  ["V8's without frames", "Error"],
])("%s leaves the error's as it was", (_what, stack) => expect(shown(stack)).toBe("as it was"));
