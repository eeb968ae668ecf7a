import { test } from "vitest";
import { testByteForByteForwarding } from "./forward-suite.ts";

test("--forward-to does not change 10,000 random requests and responses [D-103]", () =>
  testByteForByteForwarding(10_000));
