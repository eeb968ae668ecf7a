import { test } from "vitest";
import { forwardsByteForByte } from "./forward-suite.ts";

test("10,000 random requests and their responses are the same behind --forward-to [D-103]", () =>
  forwardsByteForByte(10_000));
