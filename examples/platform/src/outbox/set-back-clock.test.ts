import { expect, test } from "vitest";
import { ClockWatch } from "./set-back-clock.ts";

const hour = 3_600_000;
const start = Date.parse("2026-01-01T00:00:00Z");

test.each([
  ["runs on", 0, 0],
  ["is an hour ahead", hour, 0],
  ["is nine seconds behind", -9_000, 0],
  ["is eleven seconds behind", -11_000, 11_000],
  ["is three hours behind", -3 * hour, 3 * hour],
])("a clock that %s was set back by %i + %i ms", (_, stepMs, byMs) => {
  const watch = new ClockWatch();
  expect(watch.setBackMs(start, 0)).toBe(0);
  watch.note(start, 10);
  expect(watch.setBackMs(start + 5_000 + stepMs, 5_010)).toBe(byMs);
});

test("a step is reported until it is noted, so that work that failed is done again", () => {
  const watch = new ClockWatch();
  watch.note(start, 0);
  expect(watch.setBackMs(start - hour, 0)).toBe(hour);
  expect(watch.setBackMs(start - hour, 0)).toBe(hour);
  watch.note(start - hour, 0);
  expect(watch.setBackMs(start - hour, 0)).toBe(0);
});
