import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Store } from "../store/store.ts";
import { Leases } from "./leases.ts";

const leaseMs = 4_000;
let nowMs = 0;
beforeEach(() => void vi.spyOn(performance, "now").mockImplementation(() => nowMs));
afterEach(() => void vi.restoreAllMocks());

type Renewal = readonly [sentAtMs: number, repliedAtMs: number];

/** Returns whether a row that was claimed with the first renewal is still held at `atMs`. */
function isHeldAfter(renewals: readonly Renewal[], atMs: number): boolean {
  const leases = new Leases({} as Store, leaseMs, () => undefined);
  let isHeld = leases.watchForGaps();
  for (const [index, [sentAtMs, repliedAtMs]] of renewals.entries()) {
    nowMs = repliedAtMs;
    leases.recordRenewal(sentAtMs);
    if (index === 0) isHeld = leases.watchForGaps();
  }
  nowMs = atMs;
  return isHeld();
}

test.each([
  ["holds a row within the lease", [[0, 1]], 3_999, true],
  [
    "does not hold a row after the lease has expired, counted from the time the renewal was sent",
    [[0, 500]],
    4_000,
    false,
  ],
  [
    "holds a row while the lease is renewed in time",
    [
      [0, 1],
      [1_000, 1_001],
      [4_500, 4_999],
    ],
    8_499,
    true,
  ],
  [
    "does not hold a row after a late renewal, since another process may have attempted it",
    [
      [0, 1],
      [4_000, 4_001],
    ],
    4_001,
    false,
  ],
  [
    "does not hold a row when the renewal was sent in time but its reply came too late",
    [
      [0, 1],
      [3_999, 4_000],
    ],
    4_001,
    false,
  ],
  [
    "does not hold a row after a late renewal, even if later ones are in time",
    [
      [0, 1],
      [5_000, 5_001],
      [6_000, 6_001],
    ],
    6_001,
    false,
  ],
] as [string, Renewal[], number, boolean][])("%s", (_, renewals, atMs, isHeld) =>
  expect(isHeldAfter(renewals, atMs)).toBe(isHeld),
);
