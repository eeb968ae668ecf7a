import { afterEach, expect, test, vi } from "vitest";
import { Deadlines, withTimeout } from "./timeouts.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const neverSettles = new Promise<never>(() => undefined);
const createTimeoutError = () => new Error("too late");

test("withTimeout settles like a value that arrives in time, and clears its timer", async () => {
  vi.useFakeTimers();
  const cause = new Error("no");
  expect(await withTimeout(Promise.resolve(1), 1_000, createTimeoutError)).toBe(1);
  await expect(withTimeout(Promise.reject(cause), 1_000, createTimeoutError)).rejects.toBe(cause);
  await Promise.resolve();
  expect(vi.getTimerCount()).toBe(0);
});

test("withTimeout rejects when the value is late", async () => {
  vi.useFakeTimers();
  const failed = vi.fn();
  const settled = withTimeout(neverSettles, 1_000, createTimeoutError).catch(failed);
  await vi.advanceTimersByTimeAsync(999);
  expect(failed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await settled;
  expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: "too late" }));
});

test("withTimeout keeps the process alive while waiting, except with unref", () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = countTimers();
  withTimeout(neverSettles, 60_000, createTimeoutError, { unref: true }).catch(() => undefined);
  expect(countTimers()).toBe(before);
  void withTimeout(new Promise((resolve) => setImmediate(resolve)), 60_000, createTimeoutError);
  expect(countTimers()).toBe(before + 1);
});

test("deadlines of the same length share a timer, and each ends on time", () => {
  vi.useFakeTimers();
  const deadlines = Deadlines.of(1_000);
  expect(Deadlines.of(1_000)).toBe(deadlines);
  expect(Deadlines.of(2_000)).not.toBe(deadlines);
  const [first, deleted, last, after] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  deadlines.add(first);
  vi.advanceTimersByTime(400);
  deadlines.add(deleted);
  deadlines.add(last);
  deadlines.delete(deleted);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(599);
  expect(first).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect([first.mock.calls.length, last.mock.calls.length]).toEqual([1, 0]);
  vi.advanceTimersByTime(399);
  expect(last).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2);
  expect(last).toHaveBeenCalledTimes(1);
  // No timer is left, and the next deadline starts one.
  expect(vi.getTimerCount()).toBe(0);
  deadlines.add(after);
  vi.advanceTimersByTime(1_001);
  expect([first, deleted, last, after].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1, 1]);
});

test("deadlines do not keep the process alive", () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = countTimers();
  const end = () => undefined;
  Deadlines.of(50_000).add(end);
  expect(countTimers()).toBe(before);
  Deadlines.of(50_000).delete(end);
});

test("withTimeout works in runtimes where timers are numbers, such as browsers", async () => {
  vi.stubGlobal("setTimeout", () => 1);
  expect(await withTimeout(Promise.resolve("in time"), 1_000, createTimeoutError, { unref: true })).toBe("in time");
});
