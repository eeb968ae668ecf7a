import { expect, test } from "vitest";
import { memoryReceipts } from "./memory-deduplication.ts";

function setUp(maxReceipts?: number) {
  const clock = { ms: 1_000_000 };
  const now = () => new Date(clock.ms);
  const receipts = memoryReceipts(maxReceipts === undefined ? { now } : { now, maxReceipts });
  const claim = (key: string, subject?: string) =>
    receipts.claim(key, { leaseMs: 1_000, subject }) as { state: string; token: string };
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

test("of one subject only the receipt that was completed last takes room", async () => {
  const { receipts, claim } = setUp(2);
  for (const key of ["accepted", "rejected", "accepted", "rejected"]) {
    const { token } = claim(key, "amal's answer");
    await receipts.complete(key, token, 200, 5_000);
  }
  expect(claim("other").state).toBe("claimed");
  expect(() => claim("another")).toThrow(expect.objectContaining({ code: "receipts_full" }));
  expect(claim("rejected", "amal's answer").state).toBe("done");
});

test("what is at work is not disturbed by what is completed of its subject", async () => {
  const { receipts, claim } = setUp(2);
  claim("accepted", "amal's answer");
  await receipts.complete("rejected", claim("rejected", "amal's answer").token, 200, 5_000);
  expect(claim("accepted", "amal's answer")).toEqual({ state: "inFlight", retryAfterMs: 1_000 });
});

test("a holder whose lease ran out completes nothing, even if nobody came since", async () => {
  const { clock, receipts, claim } = setUp();
  const { token } = claim("a");
  clock.ms += 1_000;
  await receipts.complete("a", token, 200, 5_000);
  expect(claim("a").state).toBe("claimed");
});

test("a store that runs for long takes new keys as old ones end, whatever ends last", async () => {
  const { clock, receipts, claim } = setUp(1_000);
  await receipts.complete("kept long", claim("kept long").token, 200, 1_000_000);
  for (let index = 0; index < 5_000; index += 1) {
    const key = `k${index}`;
    const { state, token } = claim(key);
    expect(state).toBe("claimed");
    await receipts.complete(key, token, 200, 500);
    clock.ms += 10;
  }
  expect(claim("kept long").state).toBe("done");
});

test("a clock that tells no time makes a claim fail, and frees nothing", async () => {
  const { clock, receipts, claim } = setUp();
  const { token } = claim("held");
  await receipts.complete("done", claim("done").token, 200, 5_000);
  const time = clock.ms;
  clock.ms = Number.NaN;
  for (const key of ["held", "done", "new"])
    expect(() => claim(key)).toThrow(expect.objectContaining({ code: "receipts_failed" }));
  expect(() => receipts.complete("held", token, 200, 5_000)).toThrow(
    expect.objectContaining({ code: "receipts_failed" }),
  );
  clock.ms = time;
  expect(claim("held").state).toBe("inFlight");
  expect(claim("done").state).toBe("done");
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])("%d milliseconds are no time to hold a receipt", async (ms) => {
  const { receipts, claim } = setUp();
  expect(() => receipts.claim("a", { leaseMs: ms })).toThrow(expect.objectContaining({ code: "receipts_failed" }));
  const { token } = claim("a");
  expect(() => receipts.complete("a", token, 200, ms)).toThrow(expect.objectContaining({ code: "receipts_failed" }));
  expect(claim("a").state).toBe("inFlight");
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses a bound of %d", (maxReceipts) =>
  expect(() => memoryReceipts({ maxReceipts })).toThrow(expect.objectContaining({ code: "invalid_option" })),
);
