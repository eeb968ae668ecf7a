import { test } from "vitest";
import { forwardsByteForByte } from "./forward-suite.ts";

test("--forward-to does not change 10,000 random requests and responses [D-103]", () => forwardsByteForByte(10_000));
