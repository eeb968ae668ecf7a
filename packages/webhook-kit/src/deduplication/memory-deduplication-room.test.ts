import { expect, test } from "vitest";
import { memoryReceipts } from "./memory-deduplication.ts";

const full = expect.objectContaining({ code: "receipts_full", message: expect.stringMatching(/raise maxReceipts/) });
const failed = expect.objectContaining({ code: "receipts_failed", message: expect.stringMatching(/is no number/) });

function setUp(maxReceipts = 2) {
  const clock = { ms: 1_000_000 };
  const receipts = memoryReceipts({ now: () => new Date(clock.ms), maxReceipts });
  const claim = (key: string, leaseMs = 1_000) => receipts.claim(key, { leaseMs }) as { state: string; token: string };
  return { clock, receipts, claim };
}

test("says how long a lease still runs", () => {
  const { clock, claim } = setUp();
  claim("a");
  clock.ms += 400;
  expect(claim("a")).toEqual({ state: "inFlight", retryAfterMs: 600 });
});

test("a lease that has ended makes room, also behind one that has not", () => {
  const { clock, claim } = setUp();
  claim("long", 60_000);
  claim("short", 1_000);
  expect(() => claim("new")).toThrow(full);
  clock.ms += 1_000;
  expect(claim("new").state).toBe("claimed");
});

test("receipts that are done make room when their time is over, and not before", async () => {
  const { clock, receipts, claim } = setUp();
  for (const [key, keepMs] of [
    ["a", 60_000],
    ["b", 2_000],
  ] as const)
    await receipts.complete(key, claim(key).token, 200, keepMs);
  clock.ms += 1_999;
  expect(() => claim("new")).toThrow(full);
  clock.ms += 1_001;
  expect(claim("new").state).toBe("claimed");
  expect(claim("a").state).toBe("done");
});

test("a full store is searched once a second, and first when it is full", () => {
  const { clock, claim } = setUp();
  claim("a", 500);
  claim("b", 1_600);
  clock.ms += 500;
  expect(claim("c", 60_000).state).toBe("claimed");
  expect(() => claim("d")).toThrow(full);
  clock.ms += 999;
  expect(() => claim("d")).toThrow(full);
  clock.ms += 1;
  expect(() => claim("d")).toThrow(full);
  clock.ms += 999;
  expect(() => claim("d")).toThrow(full);
  clock.ms += 1;
  expect(claim("d").state).toBe("claimed");
});

test("a release makes room at once", async () => {
  const { receipts, claim } = setUp(1);
  await receipts.release("a", claim("a").token);
  expect(claim("b").state).toBe("claimed");
});

test("who completes after the end of the lease completes nothing, even where nobody came since", async () => {
  for (const late of [1_000, 1_001]) {
    const { clock, receipts, claim } = setUp();
    const { token } = claim("a");
    clock.ms += late;
    await receipts.complete("a", token, 200, 60_000);
    expect(claim("a").state).toBe("claimed");
  }
});

test("a key that was never claimed cannot be completed or released", async () => {
  const { receipts, claim } = setUp();
  await receipts.complete("a", "1", 200, 60_000);
  await receipts.release("a", "1");
  expect(claim("a").state).toBe("claimed");
});

test("a clock or a span that is no number fails, rather than forget", async () => {
  const { receipts, claim } = setUp();
  expect(() => claim("a", Number.NaN)).toThrow(failed);
  expect(() => claim("a", Number.POSITIVE_INFINITY)).toThrow(failed);
  const { token } = claim("a");
  expect(() => receipts.complete("a", token, 200, Number.NaN)).toThrow(failed);
  expect(claim("a").state).toBe("inFlight");
  expect(() => memoryReceipts({ now: () => new Date("?") }).claim("a", { leaseMs: 1 })).toThrow(failed);
});

test("says what maxReceipts must be", () =>
  expect(() => memoryReceipts({ maxReceipts: 0 })).toThrow(/maxReceipts must be a whole number of at least 1/));

test("what has ended is cleared away now and then, without a search", () => {
  const { clock, claim } = setUp();
  claim("again", 1);
  claim("ended", 500);
  expect(() => claim("new")).toThrow(full);
  clock.ms += 500;
  const stateOfNew = () => {
    try {
      return claim("new").state;
    } catch {
      return "full";
    }
  };
  const states = Array.from({ length: 100 }, () => {
    claim("again", 0);
    return stateOfNew();
  });
  expect([states[0], states.includes("claimed")]).toEqual(["full", true]);
});
