import { describe, expect, test, vi } from "vitest";
import { ConfigurationError, UnavailableError } from "../errors/errors.ts";
import { createRejection } from "../http/rejected.ts";
import { acknowledged } from "../http/response.ts";
import type { DedupeKey } from "./dedupe-keys.ts";
import { LeaseSet } from "./deduplicate.ts";
import type { AcquireResult, Deduplication } from "./deduplication.ts";

const leaseMs = 21_000;
const conflict = createRejection("method_not_allowed");

/** Creates a store that returns the given results, synchronously or asynchronously, and records its calls. */
function setUp(results: Record<string, unknown> = {}, isAsync = false) {
  const maybeAsync = <T>(value: T): T => (isAsync ? (Promise.resolve(value) as T) : value);
  const store = {
    acquire: vi.fn((key: string) => {
      const result = results[key] ?? { state: "acquired", token: `token of ${key}` };
      if (result instanceof Error) throw result;
      return maybeAsync(result as AcquireResult);
    }),
    complete: vi.fn((): void | Promise<void> => maybeAsync(undefined)),
    release: vi.fn((): void | Promise<void> => maybeAsync(undefined)),
  } satisfies Deduplication;
  const report = vi.fn();
  const leases = new LeaseSet(store, report);
  const acquire = (...keys: DedupeKey[]) => leases.acquire(keys, leaseMs);
  return { store, report, leases, acquire };
}

describe.each([false, true])("a store that returns promises: %s", (isAsync) => {
  test("every key is acquired for the lease, with its subject, and completed or released with its token", async () => {
    const { store, report, leases, acquire } = setUp({}, isAsync);
    expect(await acquire({ key: "a", subject: "s" }, { key: "b" })).toBeUndefined();
    expect(store.acquire.mock.calls).toEqual([
      ["a", { leaseMs, subject: "s" }],
      ["b", { leaseMs, subject: undefined }],
    ]);
    await leases.complete(204, 7_000);
    expect(store.complete.mock.calls).toEqual([
      ["a", "token of a", 204, 7_000],
      ["b", "token of b", 204, 7_000],
    ]);
    await leases.release();
    expect(store.release.mock.calls).toEqual([
      ["a", "token of a"],
      ["b", "token of b"],
    ]);
    expect(report).not.toHaveBeenCalled();
  });

  test("a completed request gets its recorded status, and no key remains leased", async () => {
    const { store, acquire } = setUp({ b: { state: "completed", status: 204 } }, isAsync);
    expect(await acquire({ key: "a" }, { key: "b" }, { key: "c" })).toEqual({ ...acknowledged, status: 204 });
    expect(store.release.mock.calls).toEqual([["a", "token of a"]]);
    expect(store.acquire).toHaveBeenCalledTimes(2);
  });

  test.each([
    [-5, "1"],
    [0, "1"],
    [1_000, "1"],
    [1_001, "2"],
    [21_000, "21"],
  ])("a request whose lease lasts %d ms more gets Retry-After: %s", async (retryAfterMs, seconds) => {
    const { acquire } = setUp({ a: { state: "inProgress", retryAfterMs } }, isAsync);
    await expect(acquire({ key: "a" })).rejects.toMatchObject({
      rejection: { code: "request_in_progress", status: 409 },
      response: { status: 409, headers: { "retry-after": seconds } },
    });
  });

  test("a key with its own conflict is rejected with that conflict, whether or not its holder has finished", async () => {
    for (const result of [
      { state: "completed", status: 200 },
      { state: "inProgress", retryAfterMs: 1 },
    ]) {
      const { acquire } = setUp({ a: result }, isAsync);
      await expect(acquire({ key: "a", onConflict: () => conflict })).rejects.toBe(conflict);
    }
  });

  test.each([
    undefined,
    null,
    "acquired",
    {},
    { state: "free" },
    { state: "acquired" },
    { state: "acquired", token: 7 },
    { state: "inProgress" },
    { state: "inProgress", retryAfterMs: Number.NaN },
    { state: "completed" },
    { state: "completed", status: 199 },
    { state: "completed", status: 600 },
    { state: "completed", status: 200.5 },
    { state: "completed", status: "200" },
  ])("with the invalid result %j, the request fails and releases its keys", async (invalidResult) => {
    const { store, acquire } = setUp({ a: undefined }, isAsync);
    store.acquire.mockImplementation((key) =>
      key === "a" ? { state: "acquired", token: "token of a" } : (invalidResult as AcquireResult),
    );
    await expect(acquire({ key: "a" }, { key: "b" })).rejects.toEqual(
      expect.objectContaining({
        code: "deduplication_failed",
        cause: expect.objectContaining({ message: expect.stringContaining("returned an unknown state") }),
      }),
    );
    expect(store.release.mock.calls).toEqual([["a", "token of a"]]);
  });

  test.each([200, 599])("a recorded status of %d is sent again", async (status) =>
    expect(await setUp({ a: { state: "completed", status } }, isAsync).acquire({ key: "a" })).toMatchObject({
      status,
    }),
  );
});

test("an error that a store throws is wrapped, unless it is one of the kit's errors", async () => {
  const cause = new Error("connection refused");
  await expect(setUp({ a: cause }).acquire({ key: "a" })).rejects.toEqual(
    expect.objectContaining({
      code: "deduplication_failed",
      cause,
      message: expect.stringContaining("store threw or timed out; see this error's cause"),
    }),
  );
  const kitError = new ConfigurationError("invalid_option", "…");
  await expect(setUp({ a: kitError }).acquire({ key: "a" })).rejects.toBe(kitError);
});

test.each([false, true])(
  "a record that cannot be written is reported, and does not change the response (asynchronous: %s)",
  async (isAsync) => {
    const { store, report, leases, acquire } = setUp();
    const cause = new Error("connection lost");
    const readOnlyError = new Error("read only");
    await acquire({ key: "a" }, { key: "b" });
    const fail = (): void | Promise<void> => {
      if (isAsync) return Promise.reject(cause);
      throw cause;
    };
    store.complete.mockImplementation(fail);
    store.release.mockImplementationOnce(() => Promise.reject(readOnlyError));
    await leases.complete(200, 1);
    const reportOf = (reason: Error) => [expect.objectContaining({ code: "deduplication_failed", cause: reason })];
    // The failure is reported once for each cause, not for each record.
    expect(report.mock.calls).toEqual([reportOf(cause)]);
    await leases.release();
    expect(report.mock.calls).toEqual([reportOf(cause), reportOf(readOnlyError)]);
    expect(store.release).toHaveBeenCalledTimes(2);
  },
);

const lost = new Error("connection lost");
test.each<[string, unknown, unknown, number]>([
  ["the same error is not reported", lost, lost, 0],
  ["a different error with the same name and message is not reported", lost, new Error("connection lost"), 0],
  ["an error with a different message is reported", lost, new Error("read only"), 1],
  ["an error with a different name is reported", lost, new TypeError("connection lost"), 1],
  ["the same value that is not an error is not reported", "connection lost", "connection lost", 0],
  ["a value that looks like the error is reported", lost, { name: "Error", message: "connection lost" }, 1],
  ["an error that looks like the value is reported", { name: "Error", message: "connection lost" }, lost, 1],
  [
    "a different value is reported",
    { name: "Error", message: "connection lost" },
    { name: "Error", message: "connection lost" },
    1,
  ],
])("after a failure that is reported elsewhere, %s", async (_, reportedCause, laterCause, reportCount) => {
  const { store, report, leases, acquire } = setUp();
  await acquire({ key: "a" });
  store.release.mockImplementation(() => {
    throw laterCause;
  });
  const failure = new UnavailableError("deduplication_failed", "The database is down.", { cause: reportedCause });
  await leases.release(failure);
  expect(report).toHaveBeenCalledTimes(reportCount);
});

test("a failure that is not reported elsewhere does not suppress another report", async () => {
  const { store, report, leases, acquire } = setUp();
  await acquire({ key: "a" });
  store.release.mockImplementation(() => {
    throw lost;
  });
  await leases.release(Object.assign(new Error("the handler threw"), { cause: lost }));
  expect(report).toHaveBeenCalledTimes(1);
});

test("complete waits until every record is stored, not only the last one", async () => {
  const { store, leases, acquire } = setUp();
  await acquire({ key: "a" }, { key: "b" });
  let finish = () => {};
  store.complete.mockImplementationOnce(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  store.complete.mockImplementationOnce(() => Promise.resolve());
  let isSettled = false;
  const settled = Promise.resolve(leases.complete(200, 1)).then(() => {
    isSettled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  finish();
  await settled;
});

test("a synchronous store records the outcome synchronously", async () => {
  const { leases, acquire } = setUp();
  await acquire({ key: "a" });
  expect([leases.complete(200, 1), leases.release()]).toEqual([undefined, undefined]);
});

test("a store that never responds is abandoned after 5 s, and does not keep the process alive", async () => {
  const { store, leases, report, acquire } = setUp();
  await acquire({ key: "a" });
  store.complete.mockImplementation(() => new Promise(() => undefined));
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = countTimers();
  void leases.complete(200, 1);
  expect(countTimers()).toBe(before);
  vi.useFakeTimers();
  try {
    const completed = leases.complete(200, 1);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(report).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await completed;
    const cause = expect.objectContaining({ message: expect.stringMatching(/store did not respond in time/) });
    expect(report.mock.calls).toEqual([[expect.objectContaining({ code: "deduplication_failed", cause })]]);
  } finally {
    vi.useRealTimers();
  }
});
