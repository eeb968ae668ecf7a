import { type Interval, medianInterval } from "./interval.ts";
import { median } from "./median.ts";

/** How a candidate compares with the base. It is "inconclusive" if the ratio has no confidence interval or the interval contains 1. */
export type Verdict = "base" | "better" | "worse" | "inconclusive";

/** One candidate's result, compared with the base. */
export interface ComparisonRow {
  readonly label: string;
  /** The median figure, in the unit of the comparison. */
  readonly median: number;
  /** The candidate's figures divided by base figures that were measured close in time, so that machine load affects both. */
  readonly ratio: { readonly median: number; readonly interval?: Interval };
  readonly verdict: Verdict;
}

/** The results in one table. */
export interface Comparison {
  readonly title: string;
  readonly unit: string;
  readonly better: "lower" | "higher";
  /** Whether the figures are counted instead of measured, so that one value is enough and there is no interval. */
  readonly exact?: boolean;
  readonly rows: readonly ComparisonRow[];
}

/**
 * Compares every candidate with the first one, which is the base.
 *
 * @param pairedRatios ratios of candidates that were measured alternately with the base. If omitted, each figure is divided by the base
 * figure of the same round.
 */
export function compare(
  heading: Omit<Comparison, "rows">,
  samples: ReadonlyMap<string, readonly number[]> | undefined,
  pairedRatios?: ReadonlyMap<string, readonly number[]>,
): Comparison {
  const [base] = samples?.values() ?? [];
  if (!samples || !base) throw new Error("Nothing was measured.");
  const rows = [...samples].map(([label, values]): ComparisonRow => {
    const ratios = pairedRatios?.get(label) ?? values.map((value, round) => value / (base[round] ?? Number.NaN));
    const medianRatio = median(ratios);
    const interval = heading.exact ? { low: medianRatio, high: medianRatio } : medianInterval(ratios);
    const ratio = { median: medianRatio, ...(interval && { interval }) };
    const verdict = values === base ? "base" : toVerdict(interval, heading.better);
    return { label, median: median(values), ratio, verdict };
  });
  return { ...heading, rows };
}

/** Derives the verdict from the ratio's confidence interval. Without an interval, or if it contains 1, the result is inconclusive. */
function toVerdict(interval: Interval | undefined, better: Comparison["better"]): Verdict {
  if (interval === undefined || (interval.low <= 1 && interval.high >= 1)) return "inconclusive";
  const isLower = interval.high < 1;
  const isBetter = better === "lower" ? isLower : !isLower;
  return isBetter ? "better" : "worse";
}
