import { expect, test, vi } from "vitest";
import { HandlerError } from "../errors/errors.ts";
import { acknowledged } from "../http/response.ts";
import { deduplicate, type RunningHandler } from "./deduplicate.ts";
import type { AcquireResult, Deduplication } from "./deduplication.ts";

const dedupeKeys = { keys: [{ key: "a" }], keepMs: 600_000 };
const accepted = { ...acknowledged, status: 202 };
const handled = { response: accepted, duplicate: false };
const succeedImmediately = (): RunningHandler => ({
  response: Promise.resolve(accepted),
  outcome: Promise.resolve(accepted),
});

function setUp(acquireResult: AcquireResult = { state: "acquired", token: "1" }) {
  const deduplication = {
    acquire: vi.fn((): AcquireResult => acquireResult),
    complete: vi.fn((): void | Promise<void> => undefined),
    release: vi.fn((): void | Promise<void> => undefined),
  } satisfies Deduplication;
  const settings = { deduplication, handlerTimeoutMs: 10_000 };
  const run = (start: () => RunningHandler, keys: Parameters<typeof deduplicate>[1] = dedupeKeys) =>
    deduplicate(settings, keys, vi.fn(), start);
  return { deduplication, settings, run };
}

/** Waits until the callbacks of all settled promises have run. */
const waitForCallbacks = () => new Promise((resolve) => setImmediate(resolve));

test("a handler runs under a lease of twice its timeout plus a second, and its status is recorded", async () => {
  const { deduplication, run } = setUp();
  expect(await run(succeedImmediately)).toEqual(handled);
  expect(deduplication.acquire.mock.calls).toEqual([["a", { leaseMs: 21_000, subject: undefined }]]);
  expect(deduplication.complete.mock.calls).toEqual([["a", "1", 202, 600_000]]);
  expect(deduplication.release).not.toHaveBeenCalled();
});

test("a request whose key is completed or in progress does not start the handler", async () => {
  const start = vi.fn(succeedImmediately);
  expect(await setUp({ state: "completed", status: 202 }).run(start)).toMatchObject({ duplicate: true });
  expect(
    await setUp({ state: "inProgress", retryAfterMs: 1 })
      .run(start)
      .catch((e) => e),
  ).toMatchObject({ response: { status: 409 } });
  expect(start).not.toHaveBeenCalled();
});

test("without deduplication, or without keys, the handler runs without a lease", async () => {
  const { deduplication, settings, run } = setUp();
  expect(await run(succeedImmediately, { keys: [], keepMs: 1 })).toEqual(handled);
  expect(await deduplicate({ ...settings, deduplication: false }, dedupeKeys, vi.fn(), succeedImmediately)).toEqual(
    handled,
  );
  expect(deduplication.acquire).not.toHaveBeenCalled();
});

test("a handler that fails immediately releases its lease", async () => {
  const { deduplication, run } = setUp();
  const error = new HandlerError("handler_failed", "…");
  const failed = Promise.reject(error);
  await expect(run(() => ({ response: failed, outcome: failed }))).rejects.toBe(error);
  expect(deduplication.release.mock.calls).toEqual([["a", "1"]]);
  expect(deduplication.complete).not.toHaveBeenCalled();
});

test("the response waits until its record is stored", async () => {
  const { deduplication, run } = setUp();
  let finish = () => {};
  deduplication.complete.mockImplementation(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  let outcome: unknown;
  const responded = run(() => ({ response: Promise.resolve(accepted), outcome: Promise.resolve(accepted) })).then(
    (result) => {
      outcome = result;
    },
  );
  await waitForCallbacks();
  expect([deduplication.complete.mock.calls, outcome]).toEqual([[["a", "1", 202, 600_000]], undefined]);
  finish();
  await responded;
  expect(outcome).toEqual(handled);
});

test("a handler that fails asynchronously releases its lease before the response is returned", async () => {
  const { deduplication, run } = setUp();
  let finish = () => {};
  deduplication.release.mockImplementation(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const error = new HandlerError("handler_failed", "…");
  const failed = vi.fn();
  const response = Promise.reject(error);
  const responded = run(() => ({ response: response, outcome: response })).catch(failed);
  await waitForCallbacks();
  expect([deduplication.release.mock.calls, failed.mock.calls]).toEqual([[["a", "1"]], []]);
  finish();
  await responded;
  expect(failed).toHaveBeenCalledExactlyOnceWith(error);
  expect(deduplication.complete).not.toHaveBeenCalled();
});

test("after a timeout the response is returned immediately, and the handler's status is recorded when the handler ends", async () => {
  const { deduplication, run } = setUp();
  const timedOut = new HandlerError("handler_timed_out", "…");
  let finish = (_: typeof accepted) => {};
  const outcome = new Promise<typeof accepted>((resolve) => {
    finish = resolve;
  });
  await expect(run(() => ({ response: Promise.reject(timedOut), outcome }))).rejects.toBe(timedOut);
  expect([deduplication.complete.mock.calls, deduplication.release.mock.calls]).toEqual([[], []]);
  finish(accepted);
  await waitForCallbacks();
  expect(deduplication.complete.mock.calls).toEqual([["a", "1", 202, 600_000]]);
});

test("a handler that fails after its timeout releases its lease for the next attempt", async () => {
  const { deduplication, run } = setUp();
  const timedOut = new HandlerError("handler_timed_out", "…");
  let fail = (_: Error) => {};
  const outcome = new Promise<typeof accepted>((_, reject) => {
    fail = reject;
  });
  await expect(run(() => ({ response: Promise.reject(timedOut), outcome }))).rejects.toBe(timedOut);
  fail(new Error("late"));
  await waitForCallbacks();
  expect([deduplication.complete.mock.calls, deduplication.release.mock.calls]).toEqual([[], [["a", "1"]]]);
});

test("an error from outside the kit is returned only after the lease is released", async () => {
  const { deduplication, run } = setUp();
  const error = Object.assign(new Error(), { code: "handler_timed_out" });
  const response = Promise.reject(error);
  await expect(run(() => ({ response: response, outcome: response }))).rejects.toBe(error);
  expect(deduplication.release).toHaveBeenCalledOnce();
});

test("the response waits until its record is stored, even if the handler is synchronous", async () => {
  const { deduplication, run } = setUp();
  let finish = () => {};
  deduplication.complete.mockImplementation(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const responded = vi.fn();
  const running = run(() => ({ response: accepted, outcome: accepted })).then(responded);
  await waitForCallbacks();
  expect([deduplication.complete.mock.calls, responded.mock.calls]).toEqual([[["a", "1", 202, 600_000]], []]);
  finish();
  await running;
  expect(responded).toHaveBeenCalledExactlyOnceWith(handled);
});
