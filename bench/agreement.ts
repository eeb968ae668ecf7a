import type { Interval } from "./interval.ts";
import type { Report } from "./report.ts";

/** How far two runs agree. */
export interface Agreement {
  /** Measured rows that both runs have an interval for. */
  readonly rows: number;
  readonly agreeing: number;
  /** The titles and labels of those whose intervals have nothing in common. */
  readonly disagreeing: readonly string[];
  /** Of both runs' intervals, those that reach at most 7 % to either side of their middle. */
  readonly narrow: number;
  readonly intervals: number;
}

/** Half the width of an interval, as a share of its middle. */
export const halfWidth = ({ low, high }: Interval): number => (high - low) / (high + low);

/** Compares the measured rows of two runs; the base, and what is counted and not measured, would agree of course. */
export function agreementOf(one: Report, other: Report): Agreement {
  const [left, right] = [intervalsOf(one), intervalsOf(other)];
  const shared = [...left].flatMap(([name, interval]) => {
    const second = right.get(name);
    return second ? [{ name, overlap: interval.low <= second.high && second.low <= interval.high }] : [];
  });
  const all = [...left.values(), ...right.values()];
  return {
    rows: shared.length,
    agreeing: shared.filter(({ overlap }) => overlap).length,
    disagreeing: shared.filter(({ overlap }) => !overlap).map(({ name }) => name),
    narrow: all.filter((interval) => halfWidth(interval) <= 0.07).length,
    intervals: all.length,
  };
}

function intervalsOf({ suites }: Report): Map<string, Interval> {
  const found = new Map<string, Interval>();
  for (const comparison of Object.values(suites).flat())
    for (const { label, verdict, ratio } of comparison.rows)
      if (verdict !== "base" && !comparison.exact && ratio.interval)
        found.set(`${comparison.title}: ${label}`, ratio.interval);
  return found;
}
