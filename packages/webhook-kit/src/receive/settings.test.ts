import { expect, test } from "vitest";
import { readReceiverOptions } from "./settings.ts";

test("the default deduplication store uses the given clock", () => {
  const clock = { ms: 1_000_000 };
  const { deduplication } = readReceiverOptions({
    secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52",
    now: () => new Date(clock.ms),
  });
  if (!deduplication) throw new Error("deduplication is on by default");
  const tryAcquire = () => (deduplication.acquire("a", { leaseMs: 1_000 }) as { state: string }).state;
  expect([tryAcquire(), tryAcquire()]).toEqual(["acquired", "inProgress"]);
  clock.ms += 1_000;
  expect(tryAcquire()).toBe("acquired");
});
