import { afterEach, expect, test, vi } from "vitest";
import { withTimeout } from "./timeouts.ts";

afterEach(() => {
  vi.useRealTimers();
});

const never = new Promise<never>(() => undefined);
const late = () => new Error("too late");

test("a value in time is the value, and leaves no timer behind", async () => {
  vi.useFakeTimers();
  const cause = new Error("no");
  expect(await withTimeout(Promise.resolve(1), 1_000, late)).toBe(1);
  await expect(withTimeout(Promise.reject(cause), 1_000, late)).rejects.toBe(cause);
  await Promise.resolve();
  expect(vi.getTimerCount()).toBe(0);
});

test("a value that is late is an error that says so", async () => {
  vi.useFakeTimers();
  const failed = vi.fn();
  const settled = withTimeout(never, 1_000, late).catch(failed);
  await vi.advanceTimersByTimeAsync(999);
  expect(failed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await settled;
  expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: "too late" }));
});

test("waiting keeps the process alive, or not with unref", () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  withTimeout(never, 60_000, late, { unref: true }).catch(() => undefined);
  expect(timers()).toBe(before);
  void withTimeout(new Promise((resolve) => setImmediate(resolve)), 60_000, late);
  expect(timers()).toBe(before + 1);
});
