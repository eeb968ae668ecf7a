import { expect, test } from "vitest";
import { defaultRetrySchedule, retryDelayMs } from "./retry-schedule.ts";

const hour = 3_600_000;
/** Returns the delay after each of ten attempts. */
const delaysWith = (random: number): (number | undefined)[] =>
  Array.from({ length: 10 }, (_, index) => retryDelayMs(defaultRetrySchedule, { number: index + 1 }, random));

test("the default schedule makes ten attempts over about 45 hours [D-26] [interface: Limits 1]", () => {
  const delays = delaysWith(0.5);
  expect(delays[9]).toBeUndefined();
  const total = delays.slice(0, 9).reduce((sum: number, delay) => sum + (delay ?? 0), 0);
  expect(total / hour).toBeCloseTo(44.7, 1);
});

test("jitter makes every delay up to a fifth shorter or longer [D-26]", () => {
  expect(delaysWith(0)[0]).toBe(4_000);
  expect(delaysWith(0.999_999)[0]).toBe(6_000);
});

test("a Retry-After longer than the delay is respected up to six hours, and a shorter one is ignored [D-26]", () => {
  const delayFor = (retryAfterMs: number) => retryDelayMs(defaultRetrySchedule, { number: 1, retryAfterMs }, 0.5);
  expect(delayFor(1_000)).toBe(5_000);
  expect(delayFor(hour)).toBe(hour);
  expect(delayFor(48 * hour)).toBe(6 * hour);
});
