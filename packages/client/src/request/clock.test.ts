import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a sleep resolves when its time has passed", async () => {
  const sleep = systemClock.sleep(1_000, undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(sleep).resolves.toBeUndefined();
});

test("a sleep that is aborted rejects at once, and leaves no timer", async () => {
  const controller = new AbortController();
  const sleep = systemClock.sleep(60_000, controller.signal);
  controller.abort("enough");
  await expect(sleep).rejects.toMatchObject({ name: "AbortedError", code: "aborted", cause: "enough" });
  expect(vi.getTimerCount()).toBe(0);
});
