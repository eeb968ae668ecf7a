import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PlanAge } from "./query-plans.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("discards plans at most once a second", () => {
  const plans = new PlanAge();
  const wasOld: boolean[] = [];
  for (let ms = 0; ms < 3_000; ms += 250) {
    wasOld.push(plans.isDiscardDue());
    vi.advanceTimersByTime(250);
  }
  const second = [true, false, false, false];
  expect(wasOld).toEqual([...second, ...second, ...second]);
});
