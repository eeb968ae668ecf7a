import { expect, test } from "vitest";
import { memoryReceipts } from "./memory-receipts.ts";

function setUp(maxReceipts?: number) {
  const clock = { ms: 1_000_000 };
  const now = () => new Date(clock.ms);
  const receipts = memoryReceipts(maxReceipts === undefined ? { now } : { now, maxReceipts });
  const claim = (key: string) => receipts.claim(key, { leaseMs: 1_000 }) as { state: string; token: string };
  return { clock, receipts, claim };
}

test("a key is claimed once until it is released", async () => {
  const { receipts, claim } = setUp();
  const { state, token } = claim("a");
  expect(state).toBe("claimed");
  expect(claim("a")).toEqual({ state: "inFlight", retryAfterMs: 1_000 });
  expect(claim("b").state).toBe("claimed");
  await receipts.release("a", token);
  expect(claim("a").state).toBe("claimed");
});

test("a completed key answers its status until its time is over", async () => {
  const { clock, receipts, claim } = setUp();
  await receipts.complete("a", claim("a").token, 200, 5_000);
  clock.ms += 4_999;
  expect(claim("a")).toEqual({ state: "done", status: 200 });
  clock.ms += 1;
  expect(claim("a").state).toBe("claimed");
});

test("a lease that ran out is free again, and its late holder changes nothing", async () => {
  const { clock, receipts, claim } = setUp();
  const slow = claim("a").token;
  clock.ms += 1_000;
  const newer = claim("a");
  expect(newer.state).toBe("claimed");
  await receipts.complete("a", slow, 500, 5_000);
  await receipts.release("a", slow);
  expect(claim("a").state).toBe("inFlight");
  await receipts.complete("a", newer.token, 200, 5_000);
  await receipts.release("a", newer.token);
  await receipts.release("a", slow);
  expect(claim("a")).toEqual({ state: "done", status: 200 });
});

test("a full store refuses rather than forgets, and takes new keys when others expire", async () => {
  const { clock, receipts, claim } = setUp(2);
  await receipts.complete("done", claim("done").token, 200, 5_000);
  claim("live");
  expect(() => claim("new")).toThrow(expect.objectContaining({ code: "receipts_full" }));
  expect(claim("done").state).toBe("done");
  expect(claim("live").state).toBe("inFlight");
  clock.ms += 1_000;
  expect(claim("new").state).toBe("claimed");
  expect(claim("done").state).toBe("done");
  expect(() => claim("newer")).toThrow(expect.objectContaining({ code: "receipts_full" }));
});

test("a full store still takes a key again whose lease ran out", async () => {
  const { clock, claim } = setUp(1);
  claim("a");
  clock.ms += 1_000;
  expect(claim("a").state).toBe("claimed");
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses a bound of %d", (maxReceipts) =>
  expect(() => memoryReceipts({ maxReceipts })).toThrow(expect.objectContaining({ code: "invalid_option" })),
);
