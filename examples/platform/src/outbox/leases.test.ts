import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Store } from "../store/store.ts";
import { Leases } from "./leases.ts";

const leaseMs = 4_000;
let nowMs = 0;
beforeEach(() => void vi.spyOn(performance, "now").mockImplementation(() => nowMs));
afterEach(() => void vi.restoreAllMocks());

type Renewal = readonly [sentAtMs: number, repliedAtMs: number];

/** @returns whether a row that the first renewal claimed is held at `atMs` */
function isHeldAfter(renewals: readonly Renewal[], atMs: number): boolean {
  const leases = new Leases({} as Store, leaseMs, () => undefined);
  let isHeld = leases.watch();
  for (const [index, [sentAtMs, repliedAtMs]] of renewals.entries()) {
    nowMs = repliedAtMs;
    leases.renewed(sentAtMs);
    if (index === 0) isHeld = leases.watch();
  }
  nowMs = atMs;
  return isHeld();
}

test.each([
  ["within the lease", [[0, 1]], 3_999, true],
  ["after the lease, which begins when it is asked for", [[0, 500]], 4_000, false],
  [
    "renewed in time, and again",
    [
      [0, 1],
      [1_000, 1_001],
      [4_500, 4_999],
    ],
    8_499,
    true,
  ],
  [
    "renewed too late: others may have worked on the row",
    [
      [0, 1],
      [4_000, 4_001],
    ],
    4_001,
    false,
  ],
  [
    "asked for in time, and renewed too late, perhaps",
    [
      [0, 1],
      [3_999, 4_000],
    ],
    4_001,
    false,
  ],
  [
    "renewed too late, and in time since",
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
