import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PlanAge } from "./query-plans.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("discards plans at most once a second", () => {
  const plans = new PlanAge();
  const discards: boolean[] = [];
  for (let ms = 0; ms < 3_000; ms += 250) {
    discards.push(plans.isDiscardDue());
    vi.advanceTimersByTime(250);
  }
  const oneSecond = [true, false, false, false];
  expect(discards).toEqual([...oneSecond, ...oneSecond, ...oneSecond]);
});
