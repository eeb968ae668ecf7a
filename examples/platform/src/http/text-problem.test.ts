import { expect, test } from "vitest";
import { textProblem } from "./text-problem.ts";

test.each(["", "Küche 厨房", "👩‍🍳", "\u0001\t\n", "\ufffd"])("%j can be kept", (text) =>
  expect(textProblem(text)).toBeUndefined(),
);

test.each([
  ["a\0b", "Remove the character U+0000."],
  ["\ud83d", "Remove the lone surrogate."],
  ["\udc69\ud83d", "Remove the lone surrogate."],
])("%j cannot: %s", (text, remedy) => expect(textProblem(text)).toBe(remedy));
