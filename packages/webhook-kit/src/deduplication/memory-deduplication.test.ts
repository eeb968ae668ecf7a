import { expect, test } from "vitest";
import { memoryDeduplication } from "./memory-deduplication.ts";

function setUp(maxEntries?: number) {
  const clock = { ms: 1_000_000 };
  const now = () => new Date(clock.ms);
  const deduplication = memoryDeduplication(maxEntries === undefined ? { now } : { now, maxEntries });
  const acquire = (key: string, subject?: string) =>
    deduplication.acquire(key, { leaseMs: 1_000, subject }) as { state: string; token: string };
  return { clock, deduplication, acquire };
}

test("a key is acquired once until it is released", async () => {
  const { deduplication, acquire } = setUp();
  const { state, token } = acquire("a");
  expect(state).toBe("acquired");
  expect(acquire("a")).toEqual({ state: "inProgress", retryAfterMs: 1_000 });
  expect(acquire("b").state).toBe("acquired");
  await deduplication.release("a", token);
  expect(acquire("a").state).toBe("acquired");
});

test("a completed key returns its status until it expires", async () => {
  const { clock, deduplication, acquire } = setUp();
  await deduplication.complete("a", acquire("a").token, 200, 5_000);
  clock.ms += 4_999;
  expect(acquire("a")).toEqual({ state: "completed", status: 200 });
  clock.ms += 1;
  expect(acquire("a").state).toBe("acquired");
});

test("a key whose lease has expired is free again, and its late holder cannot change it", async () => {
  const { clock, deduplication, acquire } = setUp();
  const staleToken = acquire("a").token;
  clock.ms += 1_000;
  const newLease = acquire("a");
  expect(newLease.state).toBe("acquired");
  await deduplication.complete("a", staleToken, 500, 5_000);
  await deduplication.release("a", staleToken);
  expect(acquire("a").state).toBe("inProgress");
  await deduplication.complete("a", newLease.token, 200, 5_000);
  await deduplication.release("a", newLease.token);
  await deduplication.release("a", staleToken);
  expect(acquire("a")).toEqual({ state: "completed", status: 200 });
});

test("a full store rejects new keys instead of losing records, until other keys expire", async () => {
  const { clock, deduplication, acquire } = setUp(2);
  await deduplication.complete("completed", acquire("completed").token, 200, 5_000);
  acquire("live");
  expect(() => acquire("new")).toThrow(expect.objectContaining({ code: "deduplication_full" }));
  expect(acquire("completed").state).toBe("completed");
  expect(acquire("live").state).toBe("inProgress");
  clock.ms += 1_000;
  expect(acquire("new").state).toBe("acquired");
  expect(acquire("completed").state).toBe("completed");
  expect(() => acquire("newer")).toThrow(expect.objectContaining({ code: "deduplication_full" }));
});

test("a full store still accepts a key whose lease has expired", async () => {
  const { clock, acquire } = setUp(1);
  acquire("a");
  clock.ms += 1_000;
  expect(acquire("a").state).toBe("acquired");
});

test("only the last completed record of a subject takes up space", async () => {
  const { deduplication, acquire } = setUp(2);
  for (const key of ["accepted", "rejected", "accepted", "rejected"]) {
    const { token } = acquire(key, "amal's response");
    await deduplication.complete(key, token, 200, 5_000);
  }
  expect(acquire("other").state).toBe("acquired");
  expect(() => acquire("another")).toThrow(expect.objectContaining({ code: "deduplication_full" }));
  expect(acquire("rejected", "amal's response").state).toBe("completed");
});

test("a running request is not affected when another request with its subject is completed", async () => {
  const { deduplication, acquire } = setUp(2);
  acquire("accepted", "amal's response");
  await deduplication.complete("rejected", acquire("rejected", "amal's response").token, 200, 5_000);
  expect(acquire("accepted", "amal's response")).toEqual({ state: "inProgress", retryAfterMs: 1_000 });
});

test("a holder whose lease has expired cannot complete its key, even if no other request has arrived [D-64]", async () => {
  const { clock, deduplication, acquire } = setUp();
  const { token } = acquire("a");
  clock.ms += 1_000;
  await deduplication.complete("a", token, 200, 5_000);
  expect(acquire("a").state).toBe("acquired");
});

test("a long-running store accepts new keys as old keys expire, in any order", async () => {
  const { clock, deduplication, acquire } = setUp(1_000);
  await deduplication.complete("kept long", acquire("kept long").token, 200, 1_000_000);
  for (let index = 0; index < 5_000; index += 1) {
    const key = `k${index}`;
    const { state, token } = acquire(key);
    expect(state).toBe("acquired");
    await deduplication.complete(key, token, 200, 500);
    clock.ms += 10;
  }
  expect(acquire("kept long").state).toBe("completed");
});

test("an invalid clock makes acquire fail, and does not free any key", async () => {
  const { clock, deduplication, acquire } = setUp();
  const { token } = acquire("held");
  await deduplication.complete("completed", acquire("completed").token, 200, 5_000);
  const time = clock.ms;
  clock.ms = Number.NaN;
  for (const key of ["held", "completed", "new"])
    expect(() => acquire(key)).toThrow(expect.objectContaining({ code: "deduplication_failed" }));
  expect(() => deduplication.complete("held", token, 200, 5_000)).toThrow(
    expect.objectContaining({ code: "deduplication_failed" }),
  );
  clock.ms = time;
  expect(acquire("held").state).toBe("inProgress");
  expect(acquire("completed").state).toBe("completed");
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])("rejects %d ms as the time to keep a record", async (ms) => {
  const { deduplication, acquire } = setUp();
  expect(() => deduplication.acquire("a", { leaseMs: ms })).toThrow(
    expect.objectContaining({ code: "deduplication_failed" }),
  );
  const { token } = acquire("a");
  expect(() => deduplication.complete("a", token, 200, ms)).toThrow(
    expect.objectContaining({ code: "deduplication_failed" }),
  );
  expect(acquire("a").state).toBe("inProgress");
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("rejects %d as maxEntries", (maxEntries) =>
  expect(() => memoryDeduplication({ maxEntries })).toThrow(expect.objectContaining({ code: "invalid_option" })),
);
