import { test } from "vitest";
import { testByteForByteForwarding } from "./forward-suite.ts";

test("--forward-to does not change 300 random requests and responses [D-103]", () => testByteForByteForwarding(300));
