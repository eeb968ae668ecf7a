import { expect, test, vi } from "vitest";
import { HandlerError } from "../errors.ts";
import { acknowledged } from "../http/response.ts";
import { deduplicate, type RunningHandler } from "./deduplicate.ts";
import type { ReceiptClaim, Receipts } from "./deduplication.ts";

const needed = { keys: [{ key: "a" }], keepMs: 600_000 };
const accepted = { ...acknowledged, status: 202 };
const handled = { response: accepted, duplicate: false };
const atOnce = (): RunningHandler => ({ response: Promise.resolve(accepted), outcome: Promise.resolve(accepted) });

function setUp(claim: ReceiptClaim = { state: "claimed", token: "1" }) {
  const receipts = {
    claim: vi.fn((): ReceiptClaim => claim),
    complete: vi.fn((): void | Promise<void> => undefined),
    release: vi.fn((): void | Promise<void> => undefined),
  } satisfies Receipts;
  const settings = { receipts, handlerTimeoutMs: 10_000 };
  const run = (start: () => RunningHandler, needs: Parameters<typeof deduplicate>[1] = needed) =>
    deduplicate(settings, needs, vi.fn(), start);
  return { receipts, settings, run };
}

/** Time for everything that has been settled to be heard of. */
const heard = () => new Promise((resolve) => setImmediate(resolve));

test("a handler runs under a lease of twice its time and a second, and its status is kept", async () => {
  const { receipts, run } = setUp();
  expect(await run(atOnce)).toEqual(handled);
  expect(receipts.claim.mock.calls).toEqual([["a", { leaseMs: 21_000, subject: undefined }]]);
  expect(receipts.complete.mock.calls).toEqual([["a", "1", 202, 600_000]]);
  expect(receipts.release).not.toHaveBeenCalled();
});

test("a request whose receipt is taken does not start the handler", async () => {
  const start = vi.fn(atOnce);
  expect(await setUp({ state: "done", status: 202 }).run(start)).toMatchObject({ duplicate: true });
  expect(
    await setUp({ state: "inFlight", retryAfterMs: 1 })
      .run(start)
      .catch((e) => e),
  ).toMatchObject({ response: { status: 409 } });
  expect(start).not.toHaveBeenCalled();
});

test("without receipts, or where none is needed, the handler just runs", async () => {
  const { receipts, settings, run } = setUp();
  expect(await run(atOnce, { keys: [], keepMs: 1 })).toEqual(handled);
  expect(await deduplicate({ ...settings, receipts: false }, needed, vi.fn(), atOnce)).toEqual(handled);
  expect(receipts.claim).not.toHaveBeenCalled();
});

test("a handler that fails at once releases its receipt", async () => {
  const { receipts, run } = setUp();
  const error = new HandlerError("handler_failed", "…");
  const failed = Promise.reject(error);
  await expect(run(() => ({ response: failed, outcome: failed }))).rejects.toBe(error);
  expect(receipts.release.mock.calls).toEqual([["a", "1"]]);
  expect(receipts.complete).not.toHaveBeenCalled();
});

test("the answer waits until its receipt is kept", async () => {
  const { receipts, run } = setUp();
  let finish = () => {};
  receipts.complete.mockImplementation(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  let outcome: unknown;
  const answered = run(() => ({ response: Promise.resolve(accepted), outcome: Promise.resolve(accepted) })).then(
    (each) => {
      outcome = each;
    },
  );
  await heard();
  expect([receipts.complete.mock.calls, outcome]).toEqual([[["a", "1", 202, 600_000]], undefined]);
  finish();
  await answered;
  expect(outcome).toEqual(handled);
});

test("a handler that fails later releases its receipt before the sender hears of it", async () => {
  const { receipts, run } = setUp();
  let finish = () => {};
  receipts.release.mockImplementation(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const error = new HandlerError("handler_failed", "…");
  const failed = vi.fn();
  const answer = Promise.reject(error);
  const answered = run(() => ({ response: answer, outcome: answer })).catch(failed);
  await heard();
  expect([receipts.release.mock.calls, failed.mock.calls]).toEqual([[["a", "1"]], []]);
  finish();
  await answered;
  expect(failed).toHaveBeenCalledExactlyOnceWith(error);
  expect(receipts.complete).not.toHaveBeenCalled();
});

test("after a time-out the sender is told at once, and the receipt follows the handler", async () => {
  const { receipts, run } = setUp();
  const timedOut = new HandlerError("handler_timed_out", "…");
  let finish = (_: typeof accepted) => {};
  const outcome = new Promise<typeof accepted>((resolve) => {
    finish = resolve;
  });
  await expect(run(() => ({ response: Promise.reject(timedOut), outcome }))).rejects.toBe(timedOut);
  expect([receipts.complete.mock.calls, receipts.release.mock.calls]).toEqual([[], []]);
  finish(accepted);
  await heard();
  expect(receipts.complete.mock.calls).toEqual([["a", "1", 202, 600_000]]);
});

test("a handler that fails after its time is over frees its receipt for the next attempt", async () => {
  const { receipts, run } = setUp();
  const timedOut = new HandlerError("handler_timed_out", "…");
  let fail = (_: Error) => {};
  const outcome = new Promise<typeof accepted>((_, reject) => {
    fail = reject;
  });
  await expect(run(() => ({ response: Promise.reject(timedOut), outcome }))).rejects.toBe(timedOut);
  fail(new Error("late"));
  await heard();
  expect([receipts.complete.mock.calls, receipts.release.mock.calls]).toEqual([[], [["a", "1"]]]);
});

test("an error that is none of ours waits for the receipt as any other", async () => {
  const { receipts, run } = setUp();
  const error = Object.assign(new Error(), { code: "handler_timed_out" });
  const answer = Promise.reject(error);
  await expect(run(() => ({ response: answer, outcome: answer }))).rejects.toBe(error);
  expect(receipts.release).toHaveBeenCalledOnce();
});
