import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AbortedError } from "../errors/error-classes.ts";
import type { Failure } from "../errors/failure.ts";
import { sleep, withTimeout } from "./with-timeout.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const tooLate = new Error("too late");
const reasonOf = (aborted?: Failure) => aborted ?? tooLate;
const aborted = (cause: unknown) => ({ kind: AbortedError, details: { cause } });
const never = () => new Promise<string>(() => {});

test("gives what the work gives, and leaves neither timer nor listener", async () => {
  const { signal } = new AbortController();
  await expect(withTimeout(1_000, signal, async () => "done", reasonOf)).resolves.toBe("done");
  await expect(withTimeout(1_000, signal, () => Promise.reject(new Error("broken")), reasonOf)).rejects.toThrow(
    "broken",
  );
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("ends when time runs out, and aborts the work", async () => {
  let inner: AbortSignal | undefined;
  const result = withTimeout(
    1_000,
    undefined,
    (signal) => {
      inner = signal;
      return never();
    },
    reasonOf,
  );
  const rejection = expect(result).rejects.toBe(tooLate);
  await vi.advanceTimersByTimeAsync(999);
  expect(inner?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await rejection;
  expect(inner).toMatchObject({ aborted: true, reason: tooLate });
});

test("ends when the caller aborts, with the caller's reason as cause, and aborts the work", async () => {
  const controller = new AbortController();
  let inner: AbortSignal | undefined;
  const result = withTimeout(
    1_000,
    controller.signal,
    (signal) => {
      inner = signal;
      return never();
    },
    reasonOf,
  );
  controller.abort("enough");
  await expect(result).rejects.toMatchObject(aborted("enough"));
  expect(inner?.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("does not begin the work for a caller who has aborted already", async () => {
  const work = vi.fn(never);
  await expect(withTimeout(1_000, AbortSignal.abort("gone"), work, reasonOf)).rejects.toMatchObject(aborted("gone"));
  expect(work).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test("a sleep resolves when its time has passed", async () => {
  const waited = sleep(1_000, undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(waited).resolves.toBeUndefined();
});

test("a sleep that is aborted rejects at once, and leaves no timer", async () => {
  const controller = new AbortController();
  const waiting = sleep(60_000, controller.signal);
  controller.abort("enough");
  await expect(waiting).rejects.toMatchObject({ message: "the request was aborted; see cause", ...aborted("enough") });
  expect(vi.getTimerCount()).toBe(0);
});
