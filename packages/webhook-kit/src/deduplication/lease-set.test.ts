import { describe, expect, test, vi } from "vitest";
import { ConfigurationError, UnavailableError } from "../errors.ts";
import { rejectRequest } from "../http/rejected.ts";
import { acknowledged } from "../http/response.ts";
import type { DedupeKey } from "./dedupe-keys.ts";
import type { ReceiptClaim, Receipts } from "./deduplication.ts";
import { LeaseSet } from "./lease-set.ts";

const leaseMs = 21_000;
const refused = rejectRequest("method_not_allowed");

/** A store that answers each claim as told, at once or later, and keeps what it was asked. */
function setUp(claims: Record<string, unknown> = {}, later = false) {
  const when = <T>(value: T): T => (later ? (Promise.resolve(value) as T) : value);
  const store = {
    claim: vi.fn((key: string) => {
      const claim = claims[key] ?? { state: "claimed", token: `token of ${key}` };
      if (claim instanceof Error) throw claim;
      return when(claim as ReceiptClaim);
    }),
    complete: vi.fn((): void | Promise<void> => when(undefined)),
    release: vi.fn((): void | Promise<void> => when(undefined)),
  } satisfies Receipts;
  const failed = vi.fn();
  const held = new LeaseSet(store, failed);
  const claim = (...keys: DedupeKey[]) => held.acquire(keys, leaseMs);
  return { store, failed, held, claim };
}

describe.each([false, true])("a store that answers %s later", (later) => {
  test("every receipt is claimed for the lease, with its subject, and completed or released with its token", async () => {
    const { store, failed, held, claim } = setUp({}, later);
    expect(await claim({ key: "a", subject: "s" }, { key: "b" })).toBeUndefined();
    expect(store.claim.mock.calls).toEqual([
      ["a", { leaseMs, subject: "s" }],
      ["b", { leaseMs, subject: undefined }],
    ]);
    await held.complete(204, 7_000);
    expect(store.complete.mock.calls).toEqual([
      ["a", "token of a", 204, 7_000],
      ["b", "token of b", 204, 7_000],
    ]);
    await held.release();
    expect(store.release.mock.calls).toEqual([
      ["a", "token of a"],
      ["b", "token of b"],
    ]);
    expect(failed).not.toHaveBeenCalled();
  });

  test("a request that is done is answered its status again, and nothing stays held", async () => {
    const { store, claim } = setUp({ b: { state: "done", status: 204 } }, later);
    expect(await claim({ key: "a" }, { key: "b" }, { key: "c" })).toEqual({ ...acknowledged, status: 204 });
    expect(store.release.mock.calls).toEqual([["a", "token of a"]]);
    expect(store.claim).toHaveBeenCalledTimes(2);
  });

  test.each([
    [-5, "1"],
    [0, "1"],
    [1_000, "1"],
    [1_001, "2"],
    [21_000, "21"],
  ])("a request that is being handled for %d ms more is told to come back in %s s", async (retryAfterMs, seconds) => {
    const { claim } = setUp({ a: { state: "inFlight", retryAfterMs } }, later);
    await expect(claim({ key: "a" })).rejects.toMatchObject({
      rejection: { reason: "already_in_progress", status: 409 },
      response: { status: 409, headers: { "retry-after": seconds } },
    });
  });

  test("a receipt that says itself what to answer is believed, whether its holder is done or not", async () => {
    for (const claimed of [
      { state: "done", status: 200 },
      { state: "inFlight", retryAfterMs: 1 },
    ]) {
      const { claim } = setUp({ a: claimed }, later);
      await expect(claim({ key: "a", onConflict: () => refused })).rejects.toBe(refused);
    }
  });

  test.each([
    undefined,
    null,
    "claimed",
    {},
    { state: "free" },
    { state: "claimed" },
    { state: "claimed", token: 7 },
    { state: "inFlight" },
    { state: "inFlight", retryAfterMs: Number.NaN },
    { state: "done" },
    { state: "done", status: 199 },
    { state: "done", status: 600 },
    { state: "done", status: 200.5 },
    { state: "done", status: "200" },
  ])("the claim %j is none: the request fails, and lets go of what it held", async (claimed) => {
    const { store, claim } = setUp({ a: undefined }, later);
    store.claim.mockImplementation((key) =>
      key === "a" ? { state: "claimed", token: "token of a" } : (claimed as ReceiptClaim),
    );
    await expect(claim({ key: "a" }, { key: "b" })).rejects.toEqual(
      expect.objectContaining({
        code: "receipts_failed",
        cause: expect.objectContaining({ message: expect.stringContaining("returned an unknown state") }),
      }),
    );
    expect(store.release.mock.calls).toEqual([["a", "token of a"]]);
  });

  test.each([200, 599])("a status of %d may be answered again", async (status) =>
    expect(await setUp({ a: { state: "done", status } }, later).claim({ key: "a" })).toMatchObject({
      status,
    }),
  );
});

test("a store that throws is a fault of this side, unless it says so itself", async () => {
  const cause = new Error("connection refused");
  await expect(setUp({ a: cause }).claim({ key: "a" })).rejects.toEqual(
    expect.objectContaining({
      code: "receipts_failed",
      cause,
      message: expect.stringContaining("store threw, or took too long; the cause of this error"),
    }),
  );
  const own = new ConfigurationError("invalid_option", "…");
  await expect(setUp({ a: own }).claim({ key: "a" })).rejects.toBe(own);
});

test.each([false, true])("a receipt that cannot be kept is told, and changes nothing (later: %s)", async (later) => {
  const { store, failed, held, claim } = setUp();
  const cause = new Error("connection lost");
  const other = new Error("read only");
  await claim({ key: "a" }, { key: "b" });
  const fail = (): void | Promise<void> => {
    if (later) return Promise.reject(cause);
    throw cause;
  };
  store.complete.mockImplementation(fail);
  store.release.mockImplementationOnce(() => Promise.reject(other));
  await held.complete(200, 1);
  const told = (reason: Error) => [expect.objectContaining({ code: "receipts_failed", cause: reason })];
  // Once for each reason, not for each receipt.
  expect(failed.mock.calls).toEqual([told(cause)]);
  await held.release();
  expect(failed.mock.calls).toEqual([told(cause), told(other)]);
  expect(store.release).toHaveBeenCalledTimes(2);
});

const lost = new Error("connection lost");
test.each<[string, unknown, unknown, number]>([
  ["the same error", lost, lost, 0],
  ["another error of the same name and message", lost, new Error("connection lost"), 0],
  ["an error of another message", lost, new Error("read only"), 1],
  ["an error of another name", lost, new TypeError("connection lost"), 1],
  ["the same value that is no error", "connection lost", "connection lost", 0],
  ["a value that looks like the error", lost, { name: "Error", message: "connection lost" }, 1],
  ["an error that looks like the value", { name: "Error", message: "connection lost" }, lost, 1],
  ["another value", { name: "Error", message: "connection lost" }, { name: "Error", message: "connection lost" }, 1],
])(
  "after a failure that is reported elsewhere, %s is reported only if it is another reason",
  async (_, known, reason, times) => {
    const { store, failed, held, claim } = setUp();
    await claim({ key: "a" });
    store.release.mockImplementation(() => {
      throw reason;
    });
    await held.release(new UnavailableError("receipts_failed", "The database is away.", { cause: known }));
    expect(failed).toHaveBeenCalledTimes(times);
  },
);

test("a failure that is not the kit's own, and is reported nowhere, hides nothing", async () => {
  const { store, failed, held, claim } = setUp();
  await claim({ key: "a" });
  store.release.mockImplementation(() => {
    throw lost;
  });
  await held.release(Object.assign(new Error("the handler threw"), { cause: lost }));
  expect(failed).toHaveBeenCalledTimes(1);
});

test("all receipts are waited for, not the last alone", async () => {
  const { store, held, claim } = setUp();
  await claim({ key: "a" }, { key: "b" });
  let finish = () => {};
  store.complete.mockImplementationOnce(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  store.complete.mockImplementationOnce(() => Promise.resolve());
  let isSettled = false;
  const settled = held.complete(200, 1).then(() => {
    isSettled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  finish();
  await settled;
});
