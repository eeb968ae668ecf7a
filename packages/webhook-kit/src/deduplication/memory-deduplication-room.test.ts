import { expect, test } from "vitest";
import { memoryDeduplication } from "./memory-deduplication.ts";

const full = expect.objectContaining({
  code: "deduplication_full",
  message: expect.stringMatching(/raise maxEntries/),
});
const failed = expect.objectContaining({
  code: "deduplication_failed",
  message: expect.stringMatching(/is not a finite number/),
});

function setUp(maxEntries = 2) {
  const clock = { ms: 1_000_000 };
  const deduplication = memoryDeduplication({ now: () => new Date(clock.ms), maxEntries });
  const acquire = (key: string, leaseMs = 1_000) =>
    deduplication.acquire(key, { leaseMs }) as { state: string; token: string };
  return { clock, deduplication, acquire };
}

test("acquiring a held key returns the remaining time of its lease", () => {
  const { clock, acquire } = setUp();
  acquire("a");
  clock.ms += 400;
  expect(acquire("a")).toEqual({ state: "inProgress", retryAfterMs: 600 });
});

test("an expired lease makes room, even behind a lease that has not expired", () => {
  const { clock, acquire } = setUp();
  acquire("long", 60_000);
  acquire("short", 1_000);
  expect(() => acquire("new")).toThrow(full);
  clock.ms += 1_000;
  expect(acquire("new").state).toBe("acquired");
});

test("completed records make room when they expire, and not before", async () => {
  const { clock, deduplication, acquire } = setUp();
  for (const [key, keepMs] of [
    ["a", 60_000],
    ["b", 2_000],
  ] as const)
    await deduplication.complete(key, acquire(key).token, 200, keepMs);
  clock.ms += 1_999;
  expect(() => acquire("new")).toThrow(full);
  clock.ms += 1_001;
  expect(acquire("new").state).toBe("acquired");
  expect(acquire("a").state).toBe("completed");
});

test("a full store is swept once a second, from the moment it is full", () => {
  const { clock, acquire } = setUp();
  acquire("a", 500);
  acquire("b", 1_600);
  clock.ms += 500;
  expect(acquire("c", 60_000).state).toBe("acquired");
  expect(() => acquire("d")).toThrow(full);
  clock.ms += 999;
  expect(() => acquire("d")).toThrow(full);
  clock.ms += 1;
  expect(() => acquire("d")).toThrow(full);
  clock.ms += 999;
  expect(() => acquire("d")).toThrow(full);
  clock.ms += 1;
  expect(acquire("d").state).toBe("acquired");
});

test("a release makes room immediately", async () => {
  const { deduplication, acquire } = setUp(1);
  await deduplication.release("a", acquire("a").token);
  expect(acquire("b").state).toBe("acquired");
});

test("completing after the lease has expired has no effect, even when no other request has arrived", async () => {
  for (const elapsedMs of [1_000, 1_001]) {
    const { clock, deduplication, acquire } = setUp();
    const { token } = acquire("a");
    clock.ms += elapsedMs;
    await deduplication.complete("a", token, 200, 60_000);
    expect(acquire("a").state).toBe("acquired");
  }
});

test("a key that was never acquired cannot be completed or released", async () => {
  const { deduplication, acquire } = setUp();
  await deduplication.complete("a", "1", 200, 60_000);
  await deduplication.release("a", "1");
  expect(acquire("a").state).toBe("acquired");
});

test("with an invalid clock or duration, calls fail instead of losing records", async () => {
  const { deduplication, acquire } = setUp();
  expect(() => acquire("a", Number.NaN)).toThrow(failed);
  expect(() => acquire("a", Number.POSITIVE_INFINITY)).toThrow(failed);
  const { token } = acquire("a");
  expect(() => deduplication.complete("a", token, 200, Number.NaN)).toThrow(failed);
  expect(acquire("a").state).toBe("inProgress");
  expect(() => memoryDeduplication({ now: () => new Date("?") }).acquire("a", { leaseMs: 1 })).toThrow(failed);
});

test("the error for an invalid maxEntries describes the valid values", () =>
  expect(() => memoryDeduplication({ maxEntries: 0 })).toThrow(/maxEntries must be an integer of at least 1/));

test("expired entries are removed in batches, without a full sweep", () => {
  const { clock, acquire } = setUp();
  acquire("again", 1);
  acquire("ended", 500);
  expect(() => acquire("new")).toThrow(full);
  clock.ms += 500;
  const tryAcquireNew = () => {
    try {
      return acquire("new").state;
    } catch {
      return "full";
    }
  };
  const states = Array.from({ length: 100 }, () => {
    acquire("again", 0);
    return tryAcquireNew();
  });
  expect([states[0], states.includes("acquired")]).toEqual(["full", true]);
});

/**
 * Sends copies of one request whose leases expire immediately, between two sweeps of a full store. Only the batches that are removed
 * between the sweeps can make room.
 *
 * @returns whether a new request was accepted
 */
function makesRoomBetweenSweeps({ clock, acquire }: ReturnType<typeof setUp>): boolean {
  expect(() => acquire("new")).toThrow(full);
  clock.ms += 500;
  for (let copies = 0; copies < 200; copies += 1) {
    acquire("copies", 0);
    try {
      return acquire("new").state === "acquired";
    } catch {
      // The store is still full.
    }
  }
  return false;
}

test("a key that is acquired again after its lease has expired does not block the removal of expired keys", () => {
  const store = setUp(301);
  const { clock, acquire } = store;
  const slowKeys = Array.from({ length: 200 }, (_, index) => `slow ${index}`);
  for (const key of slowKeys) acquire(key, 1);
  for (let index = 0; index < 100; index += 1) acquire(`ended ${index}`, 500);
  clock.ms += 1;
  for (const key of slowKeys) acquire(key, 60_000);
  acquire("copies", 500);
  expect(makesRoomBetweenSweeps(store)).toBe(true);
});

test("a subject that is completed again does not block the removal of expired records", async () => {
  const store = setUp(301);
  const { deduplication, acquire } = store;
  const complete = async (key: string, subject: string, keepMs: number) => {
    const { token } = deduplication.acquire(key, { leaseMs: 1_000, subject }) as { token: string };
    await deduplication.complete(key, token, 200, keepMs);
  };
  const subjects = Array.from({ length: 200 }, (_, index) => `subject ${index}`);
  for (const subject of subjects) await complete(`first of ${subject}`, subject, 60_000);
  for (let index = 0; index < 100; index += 1) await complete(`ended ${index}`, `ended ${index}`, 500);
  for (const subject of subjects) await complete(`second of ${subject}`, subject, 60_000);
  acquire("copies", 500);
  expect(makesRoomBetweenSweeps(store)).toBe(true);
});

test("no request scans the whole store between two sweeps", () => {
  const store = setUp(301);
  for (let index = 0; index < 300; index += 1) store.acquire(`at work ${index}`, 60_000);
  store.acquire("copies", 500);
  expect(makesRoomBetweenSweeps(store)).toBe(false);
});
