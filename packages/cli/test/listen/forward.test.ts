import { test } from "vitest";
import { forwardsByteForByte } from "./forward-suite.ts";

test("--forward-to does not change 300 random requests and responses [D-103]", () => forwardsByteForByte(300));
