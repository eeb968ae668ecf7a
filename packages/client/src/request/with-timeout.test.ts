import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withTimeout } from "./with-timeout.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = () => new Promise<string>(() => {});

test("gives what the work gives, and leaves neither timer nor listener", async () => {
  const { signal } = new AbortController();
  await expect(withTimeout(1_000, signal, async () => "done")).resolves.toBe("done");
  await expect(withTimeout(1_000, signal, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("ends when time runs out, and aborts the work", async () => {
  let inner: AbortSignal | undefined;
  const result = withTimeout(1_000, undefined, (signal) => {
    inner = signal;
    return never();
  });
  const rejection = expect(result).rejects.toMatchObject({ code: "timeout" });
  await vi.advanceTimersByTimeAsync(999);
  expect(inner?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await rejection;
  expect(inner?.aborted).toBe(true);
});

test("ends when the caller aborts, with the caller's reason as cause, and aborts the work", async () => {
  const controller = new AbortController();
  let inner: AbortSignal | undefined;
  const result = withTimeout(1_000, controller.signal, (signal) => {
    inner = signal;
    return never();
  });
  controller.abort("enough");
  await expect(result).rejects.toMatchObject({ code: "aborted", cause: "enough" });
  expect(inner?.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("does not begin the work for a caller who has aborted already", async () => {
  const work = vi.fn(never);
  await expect(withTimeout(1_000, AbortSignal.abort(), work)).rejects.toMatchObject({ code: "aborted" });
  expect(work).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test("says whether the signal ended it, or a limit as it is given in words", async () => {
  await expect(withTimeout(1_000, AbortSignal.abort(), never)).rejects.toThrow("the request was aborted");
  const result = withTimeout(1_000, undefined, never, () => "too late");
  const rejection = expect(result).rejects.toThrow("too late");
  await vi.advanceTimersByTimeAsync(1_000);
  await rejection;
});
