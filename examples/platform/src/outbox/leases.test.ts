import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Store } from "../store/store.ts";
import { Leases } from "./leases.ts";

const leaseMs = 4_000;
let nowMs = 0;
let wallMs = 0;
beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  vi.spyOn(Date, "now").mockImplementation(() => wallMs);
});
afterEach(() => void vi.restoreAllMocks());

const setBothClocks = (atMs: number): void => {
  nowMs = atMs;
  wallMs = atMs;
};

type Renewal = readonly [sentAtMs: number, repliedAtMs: number];

/** Returns whether a row that was claimed with the first renewal is still leased at `atMs`. */
function isLeasedAfter(renewals: readonly Renewal[], atMs: number): boolean {
  const leases = new Leases({} as Store, leaseMs, () => undefined);
  let isLeased = leases.watchForGaps();
  for (const [index, [sentAtMs, repliedAtMs]] of renewals.entries()) {
    setBothClocks(repliedAtMs);
    leases.recordRenewal({ monotonicMs: sentAtMs, wallMs: sentAtMs });
    if (index === 0) isLeased = leases.watchForGaps();
  }
  setBothClocks(atMs);
  return isLeased();
}

test.each([
  ["a row is leased within the lease", [[0, 1]], 3_999, true],
  [
    "a row is not leased after the lease has expired, counted from the time the renewal was sent",
    [[0, 500]],
    4_000,
    false,
  ],
  [
    "a row is leased while the lease is renewed in time",
    [
      [0, 1],
      [1_000, 1_001],
      [4_500, 4_999],
    ],
    8_499,
    true,
  ],
  [
    "a row is not leased after a late renewal, since another process may have attempted it",
    [
      [0, 1],
      [4_000, 4_001],
    ],
    4_001,
    false,
  ],
  [
    "a row is not leased when the renewal was sent in time but its reply came too late",
    [
      [0, 1],
      [3_999, 4_000],
    ],
    4_001,
    false,
  ],
  [
    "a row is not leased after a late renewal, even if later ones are in time",
    [
      [0, 1],
      [5_000, 5_001],
      [6_000, 6_001],
    ],
    6_001,
    false,
  ],
] as [string, Renewal[], number, boolean][])("%s", (_, renewals, atMs, isLeased) =>
  expect(isLeasedAfter(renewals, atMs)).toBe(isLeased),
);

// On Linux, CLOCK_MONOTONIC, which performance.now() reads, does not count the time that the machine is suspended: clock_gettime(2).
test.each([
  [
    "is not leased after the machine was suspended for longer than the lease, although performance.now() stood still",
    100,
    3_600_000,
  ],
  ["is not leased after the lease has expired, although the wall clock was set back", 4_000, -3_600_000],
])("a row %s [D-70]", (_, monotonicMs, wallClockMs) => {
  const leases = new Leases({} as Store, leaseMs, () => undefined);
  setBothClocks(0);
  leases.recordRenewal({ monotonicMs: 0, wallMs: 0 });
  const isLeased = leases.watchForGaps();
  expect(isLeased()).toBe(true);
  nowMs = monotonicMs;
  wallMs = wallClockMs;
  expect(isLeased()).toBe(false);
  // A renewal after the gap cannot restore the lease, because another process may have attempted the row.
  leases.recordRenewal({ monotonicMs: nowMs, wallMs });
  expect(isLeased()).toBe(false);
});
