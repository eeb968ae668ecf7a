import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Store } from "../../store/store.ts";
import { Leases } from "./leases.ts";

const leaseMs = 4_000;
let nowMs = 0;
beforeEach(() => void vi.spyOn(performance, "now").mockImplementation(() => nowMs));
afterEach(() => void vi.restoreAllMocks());

/** Renewed at these times. @returns whether a row that was claimed at the first is held at `atMs` */
function isHeldAfter(renewals: readonly number[], atMs: number): boolean {
  const leases = new Leases({} as Store, leaseMs, () => undefined);
  const [first = 0, ...others] = renewals;
  nowMs = first;
  leases.renewed(first);
  const isHeld = leases.watch();
  for (const sentAtMs of others) {
    nowMs = sentAtMs;
    leases.renewed(sentAtMs);
  }
  nowMs = atMs;
  return isHeld();
}

test.each([
  ["within the lease", [0], 3_999, true],
  ["after the lease", [0], 4_000, false],
  ["renewed in time, and again", [0, 1_000, 4_500], 8_499, true],
  ["renewed too late: others may have worked on the row", [0, 4_000], 4_001, false],
  ["renewed too late, and in time since", [0, 5_000, 6_000], 6_001, false],
])("a row is held: %s", (_, renewals, atMs, isHeld) => expect(isHeldAfter(renewals, atMs)).toBe(isHeld));
