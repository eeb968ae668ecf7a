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

test("says how long a lease still runs", () => {
  const { clock, acquire } = setUp();
  acquire("a");
  clock.ms += 400;
  expect(acquire("a")).toEqual({ state: "inProgress", retryAfterMs: 600 });
});

test("a lease that has ended makes room, also behind one that has not", () => {
  const { clock, acquire } = setUp();
  acquire("long", 60_000);
  acquire("short", 1_000);
  expect(() => acquire("new")).toThrow(full);
  clock.ms += 1_000;
  expect(acquire("new").state).toBe("acquired");
});

test("completed records make room when their time is over, and not before", async () => {
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

test("a full store is searched once a second, and first when it is full", () => {
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

test("a release makes room at once", async () => {
  const { deduplication, acquire } = setUp(1);
  await deduplication.release("a", acquire("a").token);
  expect(acquire("b").state).toBe("acquired");
});

test("who completes after the end of the lease completes nothing, even where no other request came since", async () => {
  for (const late of [1_000, 1_001]) {
    const { clock, deduplication, acquire } = setUp();
    const { token } = acquire("a");
    clock.ms += late;
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

test("a clock or a span that is no number fails, rather than forget", async () => {
  const { deduplication, acquire } = setUp();
  expect(() => acquire("a", Number.NaN)).toThrow(failed);
  expect(() => acquire("a", Number.POSITIVE_INFINITY)).toThrow(failed);
  const { token } = acquire("a");
  expect(() => deduplication.complete("a", token, 200, Number.NaN)).toThrow(failed);
  expect(acquire("a").state).toBe("inProgress");
  expect(() => memoryDeduplication({ now: () => new Date("?") }).acquire("a", { leaseMs: 1 })).toThrow(failed);
});

test("says what maxEntries must be", () =>
  expect(() => memoryDeduplication({ maxEntries: 0 })).toThrow(/maxEntries must be a whole number of at least 1/));

test("what has ended is cleared away now and then, without a search", () => {
  const { clock, acquire } = setUp();
  acquire("again", 1);
  acquire("ended", 500);
  expect(() => acquire("new")).toThrow(full);
  clock.ms += 500;
  const stateOfNew = () => {
    try {
      return acquire("new").state;
    } catch {
      return "full";
    }
  };
  const states = Array.from({ length: 100 }, () => {
    acquire("again", 0);
    return stateOfNew();
  });
  expect([states[0], states.includes("acquired")]).toEqual(["full", true]);
});
