import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sleep, withTimeout } from "./with-timeout.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const call = { operation: "GetOffer", host: "service.example", attempts: 1 } as const;
const timeoutError = {
  name: "TimeoutError",
  message: "GetOffer at service.example: no response within 1000 ms; see timeoutMs and totalTimeoutMs",
};
const createAbortedError = (cause: unknown) => ({ name: "AbortedError", attempts: 1, cause });
const neverSettle = () => new Promise<string>(() => {});

test("withTimeout settles like the work, and removes its timer and listener", async () => {
  const { signal } = new AbortController();
  await expect(withTimeout({ ...call }, 1_000, signal, async () => "done")).resolves.toBe("done");
  await expect(withTimeout({ ...call }, 1_000, signal, () => Promise.reject(new Error("broken")))).rejects.toThrow(
    "broken",
  );
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("withTimeout rejects and aborts the work when the time is up", async () => {
  let workSignal: AbortSignal | undefined;
  const result = withTimeout({ ...call }, 1_000, undefined, (signal) => {
    workSignal = signal;
    return neverSettle();
  });
  const rejection = expect(result).rejects.toMatchObject(timeoutError);
  await vi.advanceTimersByTimeAsync(999);
  expect(workSignal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await rejection;
  expect(workSignal).toMatchObject({ aborted: true, reason: expect.objectContaining(timeoutError) });
});

test("when the caller aborts, withTimeout aborts the work and rejects with the caller's reason as the cause", async () => {
  const controller = new AbortController();
  let workSignal: AbortSignal | undefined;
  const result = withTimeout({ ...call }, 1_000, controller.signal, (signal) => {
    workSignal = signal;
    return neverSettle();
  });
  controller.abort("enough");
  await expect(result).rejects.toMatchObject(createAbortedError("enough"));
  expect(workSignal?.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("withTimeout does not start the work if the caller has already aborted", async () => {
  const work = vi.fn(neverSettle);
  const result = withTimeout({ ...call }, 1_000, AbortSignal.abort("gone"), work);
  await expect(result).rejects.toMatchObject(createAbortedError("gone"));
  expect(work).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test("a sleep resolves when its time has passed", async () => {
  const result = sleep({ ...call }, 1_000, undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(result).resolves.toBeUndefined();
});

test("a sleep that is aborted rejects immediately and removes its timer", async () => {
  const controller = new AbortController();
  const result = sleep({ ...call }, 60_000, controller.signal);
  controller.abort("enough");
  await expect(result).rejects.toMatchObject({
    message: "GetOffer at service.example: aborted; see cause",
    ...createAbortedError("enough"),
  });
  expect(vi.getTimerCount()).toBe(0);
});
